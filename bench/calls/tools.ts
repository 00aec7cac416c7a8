import type { JsonObject } from "@bufbuild/protobuf";

export const CALL_PATH = "/toolgate.v1.ToolGatewayService/Call";

/** A tool that is called side by side: how a tool file describes it, and the arguments of every call. */
export interface BenchTool {
  readonly name: string;
  readonly path: string;
  readonly args: JsonObject;
  /** The tool file for a backend at this origin. JSON is YAML, too. */
  readonly file: (origin: string) => string;
}

const text = (maxLength: number) => ({ type: "string", minLength: 1, maxLength });

/** One string, in the query. */
export const GET_TOOL: BenchTool = {
  name: "bench_get",
  path: "/get",
  args: { city: "Beijing" },
  file: (origin) =>
    JSON.stringify({
      name: "bench_get",
      type: "http",
      description: "Answers the weather of a city.",
      endpoint: `${origin}/get`,
      method: "GET",
      params: [{ name: "city", type: "string", required: true, description: "The city." }],
    }),
};

/** Five parameters with bounds, in a JSON body. */
export const POST_TOOL: BenchTool = {
  name: "bench_post",
  path: "/post",
  args: { city: "Beijing", days: 3, latitude: 39.9042, unit: "celsius", fields: ["temp", "humidity"] },
  file: (origin) =>
    JSON.stringify({
      name: "bench_post",
      type: "http",
      description: "Answers the weather of a city for some days.",
      endpoint: `${origin}/post`,
      method: "POST",
      input_schema: {
        type: "object",
        properties: {
          city: text(100),
          days: { type: "integer", minimum: 1, maximum: 14 },
          latitude: { type: "number", minimum: -90, maximum: 90 },
          unit: { enum: ["celsius", "fahrenheit"] },
          fields: { type: "array", items: text(20), maxItems: 10 },
        },
        required: ["city", "days"],
        additionalProperties: false,
      },
    }),
};

export const TOOLS = [GET_TOOL, POST_TOOL] as const;

/** What the backend answers every time: some 200 bytes. */
export const ANSWER_TEXT = JSON.stringify({
  data: {
    city: "Beijing",
    temp: 21.5,
    weather: "partly cloudy",
    humidity: 48,
    wind: { speed: 3.4, direction: "NW" },
    updated: "2024-05-01T08:00:00Z",
    station: "ZBAA",
    pressure: 1013.2,
    visibility: 9.8,
  },
});
