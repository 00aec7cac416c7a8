import { parentPort } from "node:worker_threads";
import { serve } from "../serve.ts";
import { openJavaScript } from "./engine.ts";

await serve(parentPort, openJavaScript);
