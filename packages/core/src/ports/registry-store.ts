import type { Command, CommandResult } from "../registry/commands.ts";
import type { Snapshot } from "../registry/snapshot.ts";

/** Holds the registry. Commands are applied one at a time, each whole or not at all. */
export interface RegistryStore {
  /** The newest snapshot this process knows; never waits. */
  snapshot(): Snapshot;
  /** Applies one command; once it resolves, {@link snapshot} shows it. */
  apply(command: Command): Promise<CommandResult>;
  /** Calls back after each new generation, in order. Returns a function that ends it. */
  subscribe(listener: SnapshotListener): () => void;
  /** Identifies the history that generations count in. */
  readonly epoch: string;
}

export type SnapshotListener = (snapshot: Snapshot, before: Snapshot) => void;
