import { isLegalName } from "@toolgate/core";
import { z } from "zod";
import { quote, refuse } from "./parsed.ts";

/** A name of a tool, toolset, capability or alias: 1 to 128 of `[A-Za-z0-9_.-]`. */
export function legalName() {
  return z.string().transform((name, context) => {
    if (isLegalName(name)) return name;
    const message = `A name has 1 to 128 letters, digits, "_", "." or "-", and nothing else; ${quote(name)} does not fit.`;
    return refuse(context, message);
  });
}

/** Text that may be, or hold, `${ENV}` and `file:` references. */
export function secretText() {
  return z.string().meta({ secret: true });
}
