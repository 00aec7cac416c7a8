/** Runs the command line that `process.argv` holds. */
export {};
