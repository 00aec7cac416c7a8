import { cors } from "@connectrpc/connect";
import { expect, it } from "vitest";
import { RPC_CORS } from "./cors-headers.ts";

it("the headers for browsers are those of Connect", () => {
  expect([...RPC_CORS.methods].sort()).toEqual([...cors.allowedMethods].sort());
  expect([...RPC_CORS.allowedHeaders].sort()).toEqual([...cors.allowedHeaders].sort());
  expect([...RPC_CORS.exposedHeaders].sort()).toEqual([...cors.exposedHeaders].sort());
});
