/** What a server of this folder tells its parent when it listens. */
export interface Listening {
  readonly port: number;
}

/** Tells the parent where this process listens, and ends it when the parent is gone, however it went. */
export function announce(port: number): void {
  process.on("disconnect", () => process.exit(0));
  // Ctrl-C reaches the whole group; the parent ends its children in its own order.
  process.on("SIGINT", () => {});
  process.send?.({ port } satisfies Listening);
}
