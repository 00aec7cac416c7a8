/**
 * `npm start`: the gateway with the quickstart's configuration, and the sample
 * weather service beside it in a process of its own, as a real tool would be.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { runServe } from "@toolgate/gateway/serve";

const beside = (file: string) => fileURLToPath(new URL(file, import.meta.url));

// The service ends by itself when this process is gone, however it went.
const weather = fork(beside("weather-main.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
weather.on("error", () => {});
await new Promise((resolve) => weather.once("message", resolve).once("exit", resolve));

const code = await runServe({ config: beside("gateway.yaml") });
if (weather.connected) weather.disconnect();
process.exitCode = code;
