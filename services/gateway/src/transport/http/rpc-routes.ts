import type { DescService } from "@bufbuild/protobuf";
import type { FastifyInstance } from "fastify";
import type { ServeRpc } from "./connect.ts";

/** The rpcs that are also served over HTTP, and their code, which is loaded when the first one is asked for. */
export interface HttpRpcs {
  readonly services: readonly DescService[];
  load(): Promise<ReadonlyMap<string, ServeRpc>>;
}

/** Adds a route for each rpc, as the Connect protocol names it: "/toolgate.v1.ToolGatewayService/Call". */
export function addRpcRoutes(app: FastifyInstance, rpcs: HttpRpcs): void {
  let loading: ReturnType<HttpRpcs["load"]> | undefined;
  app.register(async (scope) => {
    // The protocol's own code reads the body.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _body, done) => done(null));
    for (const service of rpcs.services) {
      for (const method of service.methods) {
        const path = `/${service.typeName}/${method.name}`;
        scope.route({
          method: ["GET", "POST"],
          url: path,
          handler: async (request, reply) => {
            loading ??= rpcs.load();
            const serve = (await loading).get(path);
            if (serve === undefined) return reply.callNotFound();
            await serve(request, reply);
            return reply;
          },
        });
      }
    }
  });
}
