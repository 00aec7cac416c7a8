import type { PathLanguage, SchemaCompiler } from "@toolgate/core";
import { createSchemaCompiler } from "@toolgate/languages/json-schema";
import { createPathLanguage } from "@toolgate/languages/jsonpath";

export interface Languages {
  readonly schemas: SchemaCompiler;
  readonly paths: PathLanguage;
}

export function createLanguages(): Languages {
  return { schemas: createSchemaCompiler(), paths: createPathLanguage() };
}
