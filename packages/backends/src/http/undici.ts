import { createRequire } from "node:module";
import type undici from "undici";

/**
 * The two parts of undici that are used. The package's main module also loads
 * fetch, WebSocket, caches and more, which costs the start of the gateway some
 * 80 ms. The version is pinned, and every test of this backend runs on these.
 */
const load = createRequire(import.meta.url);

export const Pool = load("undici/lib/dispatcher/pool.js") as typeof undici.Pool;
export type Pool = undici.Pool;
/** Makes a connection; undici calls it for each one. */
export type Connector = undici.buildConnector.connector;
export const buildConnector = load("undici/lib/core/connect.js") as typeof undici.buildConnector;
