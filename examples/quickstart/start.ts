/**
 * `npm start`: the gateway with the quickstart's configuration, and the sample
 * weather service beside it in a process of its own, as a real tool would be.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const beside = (file: string) => fileURLToPath(new URL(file, import.meta.url));

// The service ends by itself when this process is gone, however it went.
const weather = fork(beside("weather-main.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
weather.on("error", () => {});
await new Promise((resolve) => weather.once("message", resolve).once("exit", resolve));
weather.channel?.unref();
weather.unref();

// From here on this is the same as: toolgate serve --config examples/quickstart/gateway.yaml
process.argv.push("serve", "--config", beside("gateway.yaml"));
await import("@toolgate/gateway/command");
