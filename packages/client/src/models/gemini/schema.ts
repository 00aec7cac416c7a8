/** The part of OpenAPI's schema that Gemini's function declarations know. */
export interface GeminiSchema {
  type?: "ARRAY" | "BOOLEAN" | "INTEGER" | "NUMBER" | "OBJECT" | "STRING";
  title?: string;
  description?: string;
  nullable?: boolean;
  anyOf?: GeminiSchema[];
  enum?: string[];
  format?: string;
  items?: GeminiSchema;
  properties?: Record<string, GeminiSchema>;
  required?: string[];
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
}

/** Any JSON value, as near as the subset comes. */
export function anyValue(): GeminiSchema {
  const types = ["STRING", "NUMBER", "BOOLEAN", "OBJECT"] as const;
  return { anyOf: [...types.map((type) => ({ type })), { type: "ARRAY", items: { type: "STRING" } }] };
}
