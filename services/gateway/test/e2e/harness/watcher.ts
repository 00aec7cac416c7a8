import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { Client, ClientReadableStream, Metadata, ServiceError } from "@grpc/grpc-js";
import {
  type Tool,
  ToolGatewayService,
  type Toolset,
  WatchToolsetsRequestSchema,
  type WatchToolsetsResponse,
} from "@toolgate/contract";
import { onTestFinished } from "vitest";
import { serverStream } from "./grpc-client.ts";

/** Reads a watch, and keeps what follows from its events. */
export class Watcher {
  readonly stream: ClientReadableStream<WatchToolsetsResponse>;
  readonly messages: WatchToolsetsResponse[] = [];
  readonly toolsets = new Map<string, Toolset>();
  readonly tools = new Map<string, Tool>();
  /** Resolves when the stream has ended, with the status error that ended it. */
  readonly ended: Promise<ServiceError | undefined>;

  constructor(client: Client, request: MessageInitShape<typeof WatchToolsetsRequestSchema> = {}, metadata?: Metadata) {
    const { promise, resolve } = Promise.withResolvers<ServiceError | undefined>();
    this.ended = promise;
    this.stream = serverStream(
      client,
      ToolGatewayService.method.watchToolsets,
      create(WatchToolsetsRequestSchema, request),
      metadata,
    );
    this.stream.on("error", (error: ServiceError) => resolve(error));
    this.stream.on("end", () => resolve(undefined));
    this.stream.on("data", (message: WatchToolsetsResponse) => {
      this.messages.push(message);
      this.#apply(message.event);
    });
    onTestFinished(() => this.stream.cancel());
  }

  /** The kinds of events so far, in order. */
  get kinds(): readonly (string | undefined)[] {
    return this.messages.map(({ event }) => event.case);
  }

  get generation(): number {
    return Number(this.messages.at(-1)?.generation ?? -1);
  }

  get isSynced(): boolean {
    return this.kinds.includes("synced");
  }

  #apply(event: WatchToolsetsResponse["event"]): void {
    switch (event.case) {
      case "added":
        this.#put(event.value.toolset, event.value.tools);
        return;
      case "changed":
        this.#remove(event.value.toolset?.name, event.value.removedTools);
        this.#put(event.value.toolset, event.value.changedTools);
        return;
      case "healthChanged":
        this.#put(event.value.toolset, event.value.changedTools);
        return;
      case "removed":
        this.toolsets.delete(event.value.toolset);
        this.#remove(event.value.toolset, [...this.tools.keys()]);
        return;
      case "reset":
        this.toolsets.clear();
        this.tools.clear();
    }
  }

  #put(toolset: Toolset | undefined, tools: readonly Tool[]): void {
    if (toolset !== undefined) this.toolsets.set(toolset.name, toolset);
    for (const tool of tools) this.tools.set(tool.name, tool);
  }

  /** A tool that moved to another toolset may have been told of there already. */
  #remove(toolset: string | undefined, names: readonly string[]): void {
    for (const name of names) if (this.tools.get(name)?.toolset === toolset) this.tools.delete(name);
  }
}
