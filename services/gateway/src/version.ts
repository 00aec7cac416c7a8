import packageJson from "../package.json" with { type: "json" };

/** The version of this gateway. */
export const VERSION: string = packageJson.version;
