/** Loaded into a gateway whose memory is measured: collects garbage when its parent says so. */
process.on("message", () => {
  // Twice: what finalizers let go of is collected, too.
  globalThis.gc?.();
  globalThis.gc?.();
  process.send?.(process.memoryUsage().heapUsed);
});
process.on("disconnect", () => process.exit(0));
