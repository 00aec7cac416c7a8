export type { Backends } from "./invoke.ts";
export { createDispatcher, type Dispatcher, type DispatchPorts } from "./pipeline.ts";
export { Line, type Stage } from "./stage.ts";
export type { LimitPorts } from "./stages/limits.ts";
