/** Where load goes to: the same request, again and again. */
export type LoadTarget =
  | {
      readonly kind: "grpc";
      /** "host:port" */
      readonly address: string;
      readonly path: string;
      readonly message: Uint8Array;
    }
  | { readonly kind: "http"; readonly url: string; readonly body: string };

export interface LoadJob {
  readonly target: LoadTarget;
  readonly calls: number;
  readonly connections: number;
  /** Calls under way at a time on each connection. HTTP/1.1 has one. */
  readonly perConnection: number;
}

export interface LoadResult {
  /** From the first request to the last answer. */
  readonly seconds: number;
  /** Of every call, ascending. */
  readonly latenciesMs: ArrayLike<number>;
  /** Calls without an answer of HTTP status 200. */
  readonly failed: number;
}

/** Something that sends load, in a process of its own. */
export interface LoadGenerator {
  /** For the report. */
  readonly name: string;
  run(job: LoadJob): Promise<LoadResult>;
}
