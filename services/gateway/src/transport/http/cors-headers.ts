/**
 * The headers of the Connect and gRPC-Web protocols that a browser must be
 * told of. Written down because loading Connect for them would slow every
 * start; a test holds them against Connect's own list.
 */
export const RPC_CORS = {
  methods: ["POST", "GET"],
  allowedHeaders: [
    "Content-Type",
    "Connect-Protocol-Version",
    "Connect-Timeout-Ms",
    "Connect-Content-Encoding",
    "Connect-Accept-Encoding",
    "Content-Encoding",
    "Accept-Encoding",
    "Grpc-Message-Type",
    "Grpc-Timeout",
    "X-Grpc-Web",
    "X-User-Agent",
  ],
  exposedHeaders: [
    "Grpc-Status",
    "Grpc-Message",
    "Grpc-Status-Details-Bin",
    "Content-Encoding",
    "Connect-Content-Encoding",
  ],
} as const;
