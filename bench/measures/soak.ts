import type { Bench } from "../bench.ts";
import type { Contender } from "../calls/contender.ts";
import { type Arena, takeTurn } from "../calls/rounds.ts";
import { slope } from "../numbers.ts";
import { rssMiB } from "../process/accounting.ts";

export interface Soak {
  readonly seconds: number;
  readonly calls: number;
  readonly samples: readonly { readonly second: number; readonly rssMiB: number }[];
  /** Over the second half, when the heap has found its size. */
  readonly growthMiBPerMinute: number;
}

const SAMPLE_SECONDS = 10;
const CALLS_A_TURN = 5_000;

/** Steady load on these contenders of one process by turns; its memory every 10 s. */
export async function soak({ say }: Bench, arena: Arena, seconds: number): Promise<Soak> {
  const rows = arena.contenders.filter(({ server }) => server === "gateway");
  const [{ pid }] = rows as [Contender];
  const samples: { second: number; rssMiB: number }[] = [];
  const begin = performance.now();
  const elapsed = () => (performance.now() - begin) / 1000;
  let calls = 0;
  while (elapsed() < seconds) {
    await takeTurn(arena, rows[(calls / CALLS_A_TURN) % rows.length] as Contender, CALLS_A_TURN);
    calls += CALLS_A_TURN;
    if (elapsed() < samples.length * SAMPLE_SECONDS) continue;
    samples.push({ second: elapsed(), rssMiB: rssMiB(pid) });
    say(`  ${elapsed().toFixed(0).padStart(6)} s  ${rssMiB(pid).toFixed(1)} MiB  ${calls} calls`);
  }
  const half = samples.filter(({ second }) => second >= elapsed() / 2);
  const growth = slope(half.map(({ second, rssMiB: rss }) => [second / 60, rss] as const));
  return { seconds: elapsed(), calls, samples, growthMiBPerMinute: growth };
}
