import { z } from "zod";

const FORM = /^(?:\[([0-9a-fA-F:]+)\]|([^:\s[\]]+)):(\d{1,5})$/;

/** "host:port", "[::1]:port", or a port alone, which means loopback. */
export const address = z.union([z.string(), z.int()]).transform((value, context) => {
  const match = FORM.exec(typeof value === "number" ? `127.0.0.1:${value}` : value);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    context.addIssue(
      `Expected "host:port" such as 127.0.0.1:9000, with a port from 0 to 65535, not ${JSON.stringify(value)}.`,
    );
    return z.NEVER;
  }
  return { host: (match[1] ?? match[2]) as string, port };
});
