/**
 * The tools that the compiler knows, by name. Empty here; filled by the code
 * that `generateTypes` writes:
 *
 *     declare module "@toolgate/client" {
 *       interface ToolMap { "weather_query": { args: { city: string }; result: { temperature: number } } }
 *     }
 */
// biome-ignore lint/suspicious/noEmptyInterface: generated code adds to it.
export interface ToolMap {}

/** Generated with `strict: true` it holds `strict: true`: then names that are not in the map do not compile. */
// biome-ignore lint/suspicious/noEmptyInterface: generated code adds to it.
export interface ToolMapOptions {}

/** Names that the compiler knows. */
export type ToolName = Extract<keyof ToolMap, string>;

export type ToolArgs<N extends ToolName> = ToolMap[N] extends { args: infer A extends object } ? A : object;

export type ToolResult<N extends ToolName> = ToolMap[N] extends { result: infer R } ? R : unknown;

/** The rest of a call; the arguments may be left out where the tool needs none. */
export type CallRest<A extends object, O> = object extends A ? [args?: A, options?: O] : [args: A, options?: O];

/**
 * A name that the compiler need not know. Never for one that it knows, so that
 * wrong arguments to it are an error and not an open call. A name that is only
 * known at run time (`string`) is always open.
 */
export type OpenName<N extends string> = N extends ToolName
  ? never
  : ToolMapOptions extends { strict: true }
    ? string extends N
      ? N
      : never
    : N;
