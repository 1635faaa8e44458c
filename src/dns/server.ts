/**
 * The name server of the cluster, over UDP and TCP. Reading order: this file, respond (how a
 * question is answered), zone (the names: pure), wire (the encoding: pure), cluster-view (the
 * objects), upstream.
 *
 * It only answers clients on this machine and in its pods.
 */
import { createSocket, type Socket as DatagramSocket, type RemoteInfo } from "node:dgram";
import { createServer, type Server, type Socket } from "node:net";
import type { Log } from "../base/log.ts";
import { type Responder, respond } from "./respond.ts";

export interface DnsServerOptions extends Responder {
  readonly address: string;
  /** 53, except in tests; 0 selects any free port. */
  readonly port: number;
  readonly log: Log;
  /** Whether a client at this address may ask. */
  readonly mayAsk: (address: string) => boolean;
}

export interface DnsServer {
  readonly address: string;
  readonly port: number;
  close(): Promise<void>;
}

const MAX_CONNECTIONS = 256;
const IDLE_MS = 10_000;

/** Rejects if the address or the port is not available. */
export async function openDnsServer(options: DnsServerOptions): Promise<DnsServer> {
  const stream = await listen(options);
  const { port } = stream.address() as { readonly port: number };
  const datagram = await bind({ ...options, port }).catch((error: unknown) => {
    stream.close();
    throw error;
  });
  const connections = new Set<Socket>();
  stream.on("connection", (socket) => {
    connections.add(socket);
    socket.on("close", () => connections.delete(socket));
  });
  return {
    address: options.address,
    port,
    close: async () => {
      for (const socket of connections) socket.destroy();
      await Promise.all([
        new Promise<void>((settle) => void datagram.close(settle)),
        new Promise<void>((settle) => void stream.close(() => settle())),
      ]);
    },
  };
}

function bind(options: DnsServerOptions & { readonly port: number }): Promise<DatagramSocket> {
  const { address, port, log, mayAsk } = options;
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  socket.on("message", (question, from: RemoteInfo) => {
    if (!mayAsk(from.address)) return;
    respond(options, question, "udp").then(
      (answer) => answer && socket.send(answer, from.port, from.address, () => {}),
      (error: unknown) => log.warn("a name could not be looked up", { error }),
    );
  });
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.bind({ address, port, exclusive: true }, () => {
      socket.off("error", reject);
      socket.on("error", (error) => log.warn("the name server has a problem", { error }));
      resolve(socket);
    });
  });
}

function listen(options: DnsServerOptions): Promise<Server> {
  const { address, port, mayAsk } = options;
  const server = createServer((socket) => {
    if (mayAsk(socket.remoteAddress ?? "")) serve(options, socket);
    else socket.destroy();
  });
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: address, port, exclusive: true }, () => {
      server.off("error", reject);
      resolve(server);
    });
  });
}

/** Answers questions one after the other. Each is preceded by its length. */
function serve(options: DnsServerOptions, socket: Socket): void {
  let received = Buffer.alloc(0);
  let last: Promise<void> = Promise.resolve();
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  socket.on("error", () => socket.destroy());
  socket.on("data", (piece) => {
    received = Buffer.concat([received, piece]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      const question = Buffer.from(received.subarray(2, end));
      received = received.subarray(end);
      last = last.then(() => answerOne(options, socket, question));
    }
  });
}

async function answerOne(options: DnsServerOptions, socket: Socket, question: Buffer) {
  try {
    const answer = await respond(options, question, "tcp");
    if (answer === undefined || socket.destroyed) return void socket.destroy();
    const length = Buffer.alloc(2);
    length.writeUInt16BE(answer.length);
    socket.write(Buffer.concat([length, answer]));
  } catch (error) {
    options.log.warn("a name could not be looked up", { error });
    socket.destroy();
  }
}
