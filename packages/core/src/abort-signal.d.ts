// The part of the web's AbortSignal that the core relies on. The core compiles without DOM and
// Node types; everywhere else the platform's own declaration is used instead of this file.
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
}
