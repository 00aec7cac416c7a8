import { type DestinationStream, type Logger, pino, stdSerializers } from "pino";

/** JSON lines. Errors under `cause` and `error` are written with their type, message and stack. */
export function createLog(level: string, destination: DestinationStream): Logger {
  const { err } = stdSerializers;
  return pino({ level, base: null, serializers: { cause: err, error: err } }, destination);
}
