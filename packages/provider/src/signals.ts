const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** How to stop each provider of this process. */
const stops = new Set<() => Promise<void>>();

/**
 * Stops a provider when the process is told to end, and then ends the process,
 * unless somebody else listens for that signal and decides. A second signal
 * ends it at once. Returns how to be left alone.
 */
export function stopOnSignal(stop: () => Promise<void>): () => void {
  if (stops.size === 0) for (const signal of SIGNALS) process.on(signal, onSignal);
  stops.add(stop);
  return () => {
    stops.delete(stop);
    if (stops.size === 0) stopListening();
  };
}

function onSignal(signal: NodeJS.Signals): void {
  stopListening();
  const othersDecide = process.listenerCount(signal) > 0;
  Promise.allSettled([...stops].map((stop) => stop())).then(() => {
    if (!othersDecide) process.exit();
  });
}

function stopListening(): void {
  for (const signal of SIGNALS) process.off(signal, onSignal);
}
