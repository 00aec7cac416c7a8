import { quotedExcerpt } from "@toolgate/core";
import { z } from "zod";

/** What a text of one small language means, or what was expected in its place. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

/** Ends a transform with a sentence for the reader. */
export function refuse(context: z.core.$RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message });
  return z.NEVER;
}

/** In quotes, and short. */
export function quote(text: string): string {
  return quotedExcerpt(text, 40);
}
