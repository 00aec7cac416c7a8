const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection closed by the other side",
  EPIPE: "connection closed by the other side",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the host's name could not be looked up",
  EHOSTUNREACH: "host unreachable",
  ENETUNREACH: "network unreachable",
  ETIMEDOUT: "no connection in time",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate is not trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host",
  EPROTO: "the server does not speak TLS here",
};

/** What went wrong on the network, in words that hold nothing of the request or the machine. */
export function networkFailure(error: unknown): string {
  const code = codeOf(error);
  if (code === undefined) return "the request failed";
  return WORDS[code] ?? (code.startsWith("HPE_") ? "the answer is not HTTP" : `failed with ${code}`);
}

/** A host with several addresses fails with one error for each. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  if (typeof code === "string") return code;
  return Array.isArray(errors) ? codeOf(errors[0]) : undefined;
}
