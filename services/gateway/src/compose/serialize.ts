/** Runs tasks one after the other, in the order in which they came; a failed one does not stop the next. */
export function serialized<T>(task: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return () => {
    const result = last.then(task, task);
    last = result;
    return result;
  };
}
