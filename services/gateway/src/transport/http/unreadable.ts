import { maxHeaderSize, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { DoorError } from "../door-error.ts";
import { doorErrorToJson } from "./json.ts";

interface Unreadable {
  /** Of HTTP itself (RFC 9110, RFC 6585): these requests never got as far as the table of errors. */
  readonly status: number;
  readonly error: DoorError;
}

/** Answers what cannot be read as an HTTP request, on the bare connection, and ends it. */
export function answerUnreadable(fault: NodeJS.ErrnoException, socket: Socket): void {
  if (fault.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, error } = unreadable(fault.code);
  const body = doorErrorToJson(error);
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  socket.end(`${headers.join("\r\n")}\r\n\r\n${body}`);
}

function unreadable(code: string | undefined): Unreadable {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        status: 431,
        error: new DoorError("MESSAGE_TOO_LARGE", `The request's headers are larger than ${maxHeaderSize} bytes.`),
      };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, error: new DoorError("INVALID_ARGUMENT", "The request took too long to arrive.") };
    default:
      return { status: 400, error: new DoorError("INVALID_ARGUMENT", "The request is not well-formed HTTP/1.1.") };
  }
}
