import {
  applyCommand,
  type Command,
  type CommandResult,
  EMPTY_SNAPSHOT,
  type RegistryStore,
  type Snapshot,
  type SnapshotListener,
} from "@toolgate/core";

export interface MemoryRegistryOptions {
  /** Identifies this history; a process that starts with an empty registry needs a new one. */
  readonly epoch: string;
  /**
   * The generation to count from; 0 where unset. A process that may be asked
   * about generations of its predecessor counts from the time of its start,
   * so that no number means two things.
   */
  readonly firstGeneration?: number;
  /** Hears what a listener threw, which is else dropped. The other listeners and the store go on. Must not throw. */
  readonly onError?: (error: unknown) => void;
}

interface Subscription {
  readonly listener: SnapshotListener;
  /** The generation that the subscriber could see when it came. */
  readonly since: number;
}

interface Change {
  readonly snapshot: Snapshot;
  readonly before: Snapshot;
}

/**
 * The registry of one process; it ends with it.
 *
 * Listeners are called before `apply` resolves. One that applies a command
 * itself has its change announced after the present one has reached everybody,
 * so all see the generations in order.
 */
export function createMemoryRegistryStore({
  epoch,
  firstGeneration = 0,
  onError,
}: MemoryRegistryOptions): RegistryStore {
  let current: Snapshot = { ...EMPTY_SNAPSHOT, generation: firstGeneration };
  const subscriptions = new Set<Subscription>();
  const unannounced: Change[] = [];
  let announcing = false;

  function announce(change: Change): void {
    unannounced.push(change);
    if (announcing) return;
    announcing = true;
    try {
      for (let next = unannounced.shift(); next !== undefined; next = unannounced.shift()) tellAll(next);
    } finally {
      announcing = false;
    }
  }

  function tellAll({ snapshot, before }: Change): void {
    for (const { listener, since } of subscriptions) {
      if (since >= snapshot.generation) continue;
      try {
        listener(snapshot, before);
      } catch (error) {
        onError?.(error);
      }
    }
  }

  return {
    epoch,
    snapshot: () => current,
    async apply(command: Command): Promise<CommandResult> {
      const before = current;
      const { snapshot, result } = applyCommand(before, command);
      current = snapshot;
      if (snapshot.generation !== before.generation) announce({ snapshot, before });
      return result;
    },
    subscribe(listener: SnapshotListener): () => void {
      const subscription = { listener, since: current.generation };
      subscriptions.add(subscription);
      return () => void subscriptions.delete(subscription);
    },
  };
}
