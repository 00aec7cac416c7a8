import { connect } from "node:net";
import type { CheckSpec, Probe, ProbeResult } from "@toolgate/core";
import { networkFailure } from "./network-failure.ts";

/** `{host, port}`: healthy when a connection opens; it is closed at once. */
export function createTcpProbe(): Probe {
  return { kind: "tcp", probe: (check, signal) => open(check, signal) };
}

function open({ settings }: CheckSpec, signal: AbortSignal): Promise<ProbeResult> {
  const { host, port } = settings;
  if (typeof host !== "string" || typeof port !== "number" || !(port >= 1 && port <= 65_535)) {
    return Promise.resolve({ ok: false, reason: "the check has no valid host and port" });
  }
  const { promise, resolve } = Promise.withResolvers<ProbeResult>();
  const place = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const fail = (why: string) => resolve({ ok: false, reason: `TCP ${place}: ${why}` });
  if (signal.aborted) fail("no answer in time");
  else {
    const socket = connect({ host, port });
    const giveUp = () => socket.destroy(new Error("aborted"));
    signal.addEventListener("abort", giveUp, { once: true });
    socket.once("connect", () => resolve({ ok: true }));
    socket.once("error", (error) => fail(signal.aborted ? "no answer in time" : networkFailure(error)));
    void promise.then(() => {
      signal.removeEventListener("abort", giveUp);
      socket.destroy();
    });
  }
  return promise;
}
