import { Client, credentials, Metadata } from "@grpc/grpc-js";

/** A gRPC client that sends and answers bytes: it measures the server and not its own codec. */
export class RawClient {
  readonly #client: Client;

  constructor(address: string) {
    this.#client = new Client(address, credentials.createInsecure(), {
      // Each client a connection of its own.
      "grpc.use_local_subchannel_pool": 1,
      "grpc.enable_channelz": 0,
      "grpc.enable_http_proxy": 0,
      "grpc.max_receive_message_length": -1,
    });
  }

  /** @throws ServiceError where the status is not OK, also after 60 s without an answer. */
  call(path: string, message: Uint8Array): Promise<Buffer> {
    const same = (bytes: Buffer) => bytes;
    const options = { deadline: Date.now() + 60_000 };
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        path,
        same,
        same,
        Buffer.from(message),
        new Metadata(),
        options,
        (error, answer) => {
          if (error !== null) reject(error);
          else resolve(answer as Buffer);
        },
      );
    });
  }

  close(): void {
    this.#client.close();
  }
}
