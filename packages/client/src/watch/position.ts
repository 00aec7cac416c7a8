import type { WatchToolsetsResponse } from "@toolgate/contract";
import { eventOf, type ToolsetEvent } from "./events.ts";

/** Where a stream goes on. */
export interface ResumePoint {
  readonly generation: string;
  readonly epoch: string;
}

/** How far a reader has heard, over all streams of one watch. */
export class WatchPosition {
  #resume: ResumePoint | undefined;
  /** A snapshot can only be gone on from once it is whole. */
  #inSnapshot = true;
  #isTold = false;
  #mustReset = false;

  /** Whether any event was given out. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /** A new stream starts; it asks to go on from here. */
  begin(): ResumePoint | undefined {
    this.#inSnapshot = this.#resume === undefined;
    // A stream that broke in its snapshot leaves half of it behind, and nobody will say "reset" for us.
    this.#mustReset = this.#inSnapshot && this.#isTold;
    return this.#resume;
  }

  /** What a message means to the reader: no event, one, or two where a snapshot starts anew. */
  take(message: WatchToolsetsResponse): readonly ToolsetEvent[] {
    const event = eventOf(message);
    const { epoch, generation } = message;
    if (event?.type === "reset") this.#startOver();
    else if (event?.type === "synced") this.#inSnapshot = false;
    if (!this.#inSnapshot) this.#resume = { generation, epoch };
    if (event === undefined) return [];
    const events: ToolsetEvent[] = this.#mustReset ? [{ type: "reset", generation: "0", epoch }, event] : [event];
    this.#mustReset = false;
    this.#isTold = true;
    return events;
  }

  #startOver(): void {
    this.#resume = undefined;
    this.#inSnapshot = true;
    this.#mustReset = false;
  }
}
