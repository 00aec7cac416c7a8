import type { RegistryStore } from "@toolgate/core";
import { afterEach, beforeEach, describe } from "vitest";
import { describeLeases } from "./registry-store-suite/leases.ts";
import { describeRegistration } from "./registry-store-suite/registration.ts";
import { describeSharing } from "./registry-store-suite/sharing.ts";
import { describeToolsets } from "./registry-store-suite/toolsets.ts";
import { describeWatching } from "./registry-store-suite/watching.ts";

/** An empty registry for one test. */
export interface OpenRegistry {
  readonly store: RegistryStore;
  /** The same registry, as another process sees it; unset where a registry belongs to one process. */
  readonly peer?: RegistryStore;
  close(): Promise<void>;
}

/** The registry of the test that runs. */
export type CurrentRegistry = () => OpenRegistry;

/** What every RegistryStore does. `open` makes an empty registry for each test. */
export function registryStoreSuite(name: string, open: () => Promise<OpenRegistry>): void {
  describe(`registry store: ${name}`, () => {
    let registry: OpenRegistry | undefined;
    beforeEach(async () => {
      registry = await open();
    });
    afterEach(async () => {
      await registry?.close();
      registry = undefined;
    });
    const current: CurrentRegistry = () => {
      if (registry === undefined) throw new Error("The registry is open only while a test runs.");
      return registry;
    };
    describeRegistration(current);
    describeToolsets(current);
    describeLeases(current);
    describeWatching(current);
    describeSharing(current);
  });
}
