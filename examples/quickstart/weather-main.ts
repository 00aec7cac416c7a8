/** Runs the sample weather service; ends when its parent does. */
import { startWeatherService } from "./weather-service.ts";

const PORT = Number(process.env.WEATHER_PORT ?? 8080);

process.on("disconnect", () => process.exit(0));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => {});

try {
  const server = await startWeatherService(PORT);
  process.once("disconnect", () => server.close());
  process.send?.("listening");
} catch (error) {
  const taken = (error as { code?: string }).code === "EADDRINUSE";
  const reason = taken ? "another process already listens there" : String(error);
  console.error(
    `The sample weather service cannot listen on port ${PORT}: ${reason}. weather_query asks whoever does.`,
  );
  process.exit(1);
}
