import type undici from "undici";
// @ts-expect-error The package describes only its main module.
import connectPart from "undici/lib/core/connect.js";
// @ts-expect-error The package describes only its main module.
import poolPart from "undici/lib/dispatcher/pool.js";

/**
 * The two parts of undici that are used. The package's main module also loads
 * fetch, WebSocket, caches and more, which costs the start of the gateway some
 * 80 ms. The version is pinned, and every test of this backend runs on these.
 */
export const Pool: typeof undici.Pool = poolPart;
export type Pool = undici.Pool;
export const buildConnector: typeof undici.buildConnector = connectPart;
/** Makes a connection; undici calls it for each one. */
export type Connector = undici.buildConnector.connector;
