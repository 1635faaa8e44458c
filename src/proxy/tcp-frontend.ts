/** One TCP port of a Service. Changes of endpoints do not affect existing connections. */
import { connect, createServer, type Socket } from "node:net";
import { Balancer } from "./balancer.ts";
import type { OpenFrontend } from "./open-frontend.ts";
import type { Backend, Frontend } from "./plan.ts";

const MAX_CONNECTIONS = 10_000;
/**
 * Unreachable endpoints are skipped, but only this many are tried, so that a client does not wait
 * too long.
 */
const MAX_TRIES = 4;
const CONNECT_MS = 5000;

export async function openTcp(
  frontend: Frontend,
  mayConnect: (address: string) => boolean,
): Promise<OpenFrontend> {
  const balancer = new Balancer(frontend);
  const clients = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    client.on("error", () => client.destroy());
    const from = client.remoteAddress ?? "";
    if (!mayConnect(from)) {
      client.resetAndDestroy();
      return;
    }
    clients.add(client);
    client.on("close", () => clients.delete(client));
    void passOn(client, balancer, from);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: frontend.address, port: frontend.port, exclusive: true }, () => {
      server.off("error", reject);
      server.on("error", () => {});
      resolve();
    });
  });
  return {
    update: (next) => balancer.update(next),
    close: async () => {
      for (const client of clients) client.destroy();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
}

async function passOn(client: Socket, balancer: Balancer, from: string): Promise<void> {
  for (const backend of balancer.choose(from, performance.now()).slice(0, MAX_TRIES)) {
    const socket = await tryToConnect(backend);
    if (!socket) continue;
    if (client.destroyed) {
      socket.destroy();
      return;
    }
    balancer.remember(from, backend, performance.now());
    join(client, socket);
    return;
  }
  // The client sees the same as if nothing listened.
  client.resetAndDestroy();
}

function tryToConnect({ address, port }: Backend): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, allowHalfOpen: true });
    const fail = () => {
      socket.destroy();
      resolve(undefined);
    };
    socket.setTimeout(CONNECT_MS, fail);
    socket.once("error", fail);
    socket.once("connect", () => {
      socket.setTimeout(0);
      socket.off("error", fail);
      resolve(socket);
    });
  });
}

/** Forwards data and the end of each direction. */
function join(client: Socket, backend: Socket): void {
  for (const [one, other] of [
    [client, backend],
    [backend, client],
  ] as const) {
    one.setNoDelay(true);
    one.pipe(other);
    one.on("error", () => other.resetAndDestroy());
    one.on("close", (hadError) => {
      if (hadError || !one.readableEnded) other.destroy();
    });
  }
}
