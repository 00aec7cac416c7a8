import type { Probe } from "@toolgate/core";

/** `{name}`: healthy when the environment variable is set and not empty. Its value is never shown. */
export function createEnvProbe(env: Readonly<Record<string, string | undefined>>): Probe {
  return {
    kind: "env",
    async probe({ settings }) {
      const name = String(settings.name);
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      if (value === undefined) return { ok: false, reason: `the environment variable ${name} is not set` };
      if (value === "") return { ok: false, reason: `the environment variable ${name} is empty` };
      return { ok: true };
    },
  };
}
