export { createSchemaCompiler } from "./schema-compiler.ts";
