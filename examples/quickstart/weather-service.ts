/**
 * The sample service behind `weather_query`: a small HTTP server with made-up,
 * unchanging weather. `GET /weather?city=NAME` and `GET /health`.
 */
import { createServer, type Server } from "node:http";

const CITIES: Readonly<Record<string, { temp: number; weather: string; humidity: number }>> = {
  beijing: { temp: 21, weather: "sunny", humidity: 38 },
  shanghai: { temp: 24, weather: "cloudy", humidity: 71 },
  london: { temp: 12, weather: "rain", humidity: 87 },
};

/** Starts the service. Rejects where the port is taken. */
export function startWeatherService(port: number, host = "127.0.0.1"): Promise<Server> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const { status, body } = answer(url);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve(server));
  });
}

function answer(url: URL): { status: number; body: unknown } {
  if (url.pathname === "/health") return { status: 200, body: { ok: true } };
  if (url.pathname !== "/weather") return { status: 404, body: { error: `nothing at ${url.pathname}` } };
  const city = url.searchParams.get("city") ?? "";
  if (city === "") return { status: 400, body: { error: "city is missing" } };
  const known = Object.hasOwn(CITIES, city.toLowerCase()) ? CITIES[city.toLowerCase()] : undefined;
  // Cities nobody wrote down have weather too: the same one each time.
  const seed = [...city].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0);
  const made = { temp: seed % 35, weather: ["sunny", "cloudy", "rain"][seed % 3], humidity: 30 + (seed % 60) };
  return { status: 200, body: { data: { city, ...(known ?? made) } } };
}
