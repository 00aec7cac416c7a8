import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { CheckSpec, Probe, ProbeResult } from "@toolgate/core";
import { networkFailure } from "./network-failure.ts";

/** More than any health endpoint needs to send; what follows is not read. */
const MAX_HEADER_BYTES = 16 * 1024;

/**
 * `{url}`: healthy when a GET is answered with 2xx. Redirects are not
 * followed, the body is not read, and no connection is kept.
 */
export function createHttpProbe(): Probe {
  return { kind: "http", probe: (check, signal) => get(check, signal) };
}

function get({ settings }: CheckSpec, signal: AbortSignal): Promise<ProbeResult> {
  const url = typeof settings.url === "string" && URL.canParse(settings.url) ? new URL(settings.url) : undefined;
  if (url === undefined) return Promise.resolve({ ok: false, reason: "the check has no valid URL" });
  const { promise, resolve } = Promise.withResolvers<ProbeResult>();
  // The query may hold a key.
  const fail = (why: string) => resolve({ ok: false, reason: `GET ${url.origin}${url.pathname}: ${why}` });
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  try {
    const headers = { accept: "*/*", "user-agent": "toolgate" };
    const request = send(url, { agent: false, headers, maxHeaderSize: MAX_HEADER_BYTES, signal }, (answer) => {
      const why = complaintAbout(answer);
      if (why === undefined) resolve({ ok: true });
      else fail(why);
      request.destroy();
    });
    request.on("error", (error) => fail(signal.aborted ? "no answer in time" : networkFailure(error)));
    request.end();
  } catch {
    fail("the URL cannot be used");
  }
  return promise;
}

function complaintAbout({ statusCode = 0 }: IncomingMessage): string | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined;
  const isRedirect = statusCode >= 300 && statusCode < 400;
  return `answered ${statusCode}${isRedirect ? " (redirects are not followed)" : ""}`;
}
