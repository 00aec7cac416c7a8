// The part of the web platform that dispatch uses: every runtime that could host it has these.
interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}
declare var AbortController: new () => AbortController;
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
interface DOMException extends Error {}
declare var DOMException: new (message: string, name: string) => DOMException;
