import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A small order service. `lose` makes it take the next order and hang up without an answer. */
export interface OrdersService {
  readonly url: string;
  readonly orders: { readonly id: number; readonly sku: string; readonly count: number }[];
  lose: boolean;
  close(): void;
}

export async function startOrders(): Promise<OrdersService> {
  const orders: OrdersService["orders"] = [];
  const server: Server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (request.method === "POST") {
      let text = "";
      for await (const chunk of request) text += chunk;
      const order = { id: orders.length + 1, ...(JSON.parse(text) as { sku: string; count: number }) };
      orders.push(order);
      if (service.lose) return void request.socket.destroy();
      return answer(201, order);
    }
    const order = orders.find(({ id }) => request.url === `/orders/${id}`);
    if (order === undefined) return answer(404, { error: "no such order" });
    const { id, sku, count } = order;
    return answer(200, { id, lines: [{ sku, count }], total: { amount: 5 * count, currency: "EUR" } });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const service: OrdersService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    orders,
    lose: false,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return service;
}
