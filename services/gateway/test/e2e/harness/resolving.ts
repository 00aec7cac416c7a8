import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { onTestFinished } from "vitest";

type Names = Readonly<Record<string, readonly string[]>>;

/** Has these names lead to these IPv4 addresses in this process, until the test ends; others lead where they do. */
export function resolving(names: Names): void {
  const { lookup } = dns;
  const { lookup: promisedLookup } = dns.promises;
  const known = (hostname: string) => names[hostname]?.map((address) => ({ address, family: 4 }));
  const set = (callback: typeof lookup, promised: typeof promisedLookup) => {
    dns.lookup = callback;
    dns.promises.lookup = promised;
    syncBuiltinESMExports();
  };
  const scripted = (hostname: string, options: dns.LookupOptions, callback: (...results: unknown[]) => void): void => {
    const found = known(hostname);
    if (found === undefined) return void (lookup as unknown as typeof scripted)(hostname, options, callback);
    process.nextTick(() => (options.all ? callback(null, found) : callback(null, found[0]?.address, 4)));
  };
  const promised = async (hostname: string, options: dns.LookupOptions) => {
    return known(hostname) ?? (await promisedLookup(hostname, options));
  };
  set(scripted as unknown as typeof lookup, promised as unknown as typeof promisedLookup);
  onTestFinished(() => set(lookup, promisedLookup));
}
