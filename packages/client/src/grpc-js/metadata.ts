import { Metadata } from "@grpc/grpc-js";

/** Binary values are bytes to grpc-js and base64 to Connect. */
const BINARY = /-bin$/;

export function metadataOf(headers: Headers): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of headers) metadata.set(key, BINARY.test(key) ? Buffer.from(value, "base64") : value);
  return metadata;
}

export function headersOf(metadata: Metadata): Headers {
  const headers = new Headers();
  for (const key of Object.keys(metadata.getMap())) {
    for (const value of metadata.get(key)) {
      headers.append(key, typeof value === "string" ? value : value.toString("base64"));
    }
  }
  return headers;
}
