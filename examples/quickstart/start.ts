/**
 * `npm start`: the gateway with the quickstart's configuration, and the sample
 * weather service beside it in a process of its own, as a real tool would be.
 */
import { fork } from "node:child_process";
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Keeps the compiled form of what follows for the next start; so it has to come first.
enableCompileCache(join(homedir(), ".cache", "toolgate"));
const { runServe } = await import("@toolgate/gateway/serve");

const beside = (file: string) => fileURLToPath(new URL(file, import.meta.url));

// The service ends by itself when this process is gone, however it went.
const weather = fork(beside("weather-main.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
weather.on("error", () => {});
await new Promise((resolve) => weather.once("message", resolve).once("exit", resolve));

const code = await runServe({ config: beside("gateway.yaml") });
if (weather.connected) weather.disconnect();
process.exitCode = code;
