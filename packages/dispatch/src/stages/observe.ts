import type { Call, CallObserver, Envelope } from "@toolgate/core";
import type { Stage } from "../stage.ts";
import type { Sealed } from "./envelope.ts";

/** Tells the observers when a call starts and how it ended. */
export function observe(ports: { readonly observer: CallObserver }): Stage<Call, Envelope, Call, Sealed> {
  return {
    name: "observe",
    async run(call, next) {
      ports.observer.started(call);
      const sealed = await next(call);
      ports.observer.ended({ call, ...sealed });
      return sealed.envelope;
    },
  };
}
