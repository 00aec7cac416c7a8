import type { Caller } from "@toolgate/core";
import type { DoorPorts } from "./door.ts";
import { DoorError } from "./door-error.ts";

/** Why a request's signal aborts. Made once: grpc-js says "cancelled" at the end of every call, also of one that went well. */
export const GONE = new DOMException("The caller went away", "AbortError");

/**
 * Who a request comes from.
 *
 * @param howToSend a key, in the words of the door: "in the metadata: …"
 * @throws DoorError UNAVAILABLE while the gateway drains, UNAUTHENTICATED without a key that is known
 */
export function letIn(ports: DoorPorts, authorization: string | undefined, howToSend: string): Caller {
  if (ports.draining.aborted)
    throw new DoorError("UNAVAILABLE", "The gateway is stopping. Try another one, or again later.");
  const caller = ports.authenticate(authorization);
  if (caller === undefined) throw new DoorError("UNAUTHENTICATED", `Send a known API key ${howToSend}.`);
  return caller;
}
