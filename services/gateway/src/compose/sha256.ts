import { hash } from "node:crypto";
import type { Digest } from "@toolgate/core";

export const sha256: Digest = (text) => hash("sha256", text, "base64url");
