/** One UDP port of a Service. A client keeps its endpoint while it keeps sending. */
import { createSocket, type Socket } from "node:dgram";
import { Balancer } from "./balancer.ts";
import type { OpenFrontend } from "./open-frontend.ts";
import type { Backend, Frontend } from "./plan.ts";

const MAX_CLIENTS = 4096;
/** The same timeout as conntrack in Linux uses for UDP streams. */
const IDLE_MS = 120_000;

interface Conversation {
  readonly backend: Backend;
  readonly socket: Socket;
  readonly timer: NodeJS.Timeout;
}

export async function openUdp(
  frontend: Frontend,
  mayConnect: (address: string) => boolean,
): Promise<OpenFrontend> {
  const { address, port } = frontend;
  const balancer = new Balancer(frontend);
  const conversations = new Map<string, Conversation>();
  const server = createSocket(address.includes(":") ? "udp6" : "udp4");
  const end = (key: string) => {
    const known = conversations.get(key);
    if (!known) return;
    conversations.delete(key);
    clearTimeout(known.timer);
    known.socket.close();
  };
  server.on("message", (message, from) => {
    if (!mayConnect(from.address)) return;
    const key = `${from.address} ${from.port}`;
    const reply = (answer: Buffer) => server.send(answer, from.port, from.address, () => {});
    const known =
      conversations.get(key) ??
      (conversations.size < MAX_CLIENTS ? begin(balancer, from.address, reply) : undefined);
    if (!known) return;
    if (!conversations.has(key)) {
      conversations.set(key, { ...known, timer: setTimeout(() => end(key), IDLE_MS).unref() });
      known.socket.on("error", () => end(key));
    }
    conversations.get(key)?.timer.refresh();
    known.socket.send(message, known.backend.port, known.backend.address, () => {});
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.bind({ address, port, exclusive: true }, () => {
      server.off("error", reject);
      server.on("error", () => {});
      resolve();
    });
  });
  return {
    update: (next) => {
      balancer.update(next);
      for (const [key, { backend }] of conversations) if (!balancer.has(backend)) end(key);
    },
    close: async () => {
      for (const key of [...conversations.keys()]) end(key);
      await new Promise<void>((resolve) => void server.close(resolve));
    },
  };
}

function begin(
  balancer: Balancer,
  client: string,
  reply: (answer: Buffer) => void,
): Omit<Conversation, "timer"> | undefined {
  const [backend] = balancer.choose(client, performance.now());
  if (!backend) return undefined;
  balancer.remember(client, backend, performance.now());
  const socket = createSocket(backend.address.includes(":") ? "udp6" : "udp4");
  socket.on("message", (answer, { address, port }) => {
    if (address === backend.address && port === backend.port) reply(answer);
  });
  return { backend, socket };
}
