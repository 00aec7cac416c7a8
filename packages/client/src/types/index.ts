export { type GenerateTypesOptions, generateTypes, type TypedTool } from "./generate-types.ts";
