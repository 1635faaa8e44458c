/**
 * Load over N keep-alive TLS connections, each sending one request at a time. HTTP is written and
 * parsed by hand: Node's own client costs more per request than the server under test, and with two
 * cores the generator would be measured instead.
 */
import { connect, type TLSSocket } from "node:tls";

export interface Target {
  readonly url: string;
  readonly token: string;
}

export interface LoadResult {
  readonly done: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failed: number;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly expect: number;
}

export interface Load {
  readonly connections: number;
  /** The maximum number of requests. */
  readonly total: number;
  readonly ask: (index: number) => Asked;
  /** Checked before each request; default: ends when the total is reached. */
  readonly isOver?: () => boolean;
}

export async function run(target: Target, load: Load): Promise<LoadResult> {
  const sockets = await Promise.all(
    Array.from({ length: load.connections }, () => openConnection(target)),
  );
  const latencies: number[] = [];
  let next = 0;
  let failed = 0;
  const worker = async (connection: Connection): Promise<void> => {
    while (next < load.total && !load.isOver?.()) {
      const asked = load.ask(next++);
      const began = performance.now();
      const status = await connection.send(asked);
      latencies.push(performance.now() - began);
      if (status !== asked.expect) failed++;
    }
  };
  const began = performance.now();
  await Promise.all(sockets.map(worker));
  const seconds = (performance.now() - began) / 1000;
  for (const socket of sockets) socket.close();
  latencies.sort((left, right) => left - right);
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? 0;
  const done = latencies.length;
  return { done, perSecond: done / seconds, p50Ms: at(0.5), p99Ms: at(0.99), failed };
}

interface Connection {
  send(asked: Asked): Promise<number>;
  close(): void;
}

function openConnection({ url, token }: Target): Promise<Connection> {
  const { hostname, port } = new URL(url);
  const head = [
    "HTTP/1.1",
    `Host: ${hostname}`,
    `Authorization: Bearer ${token}`,
    "Accept: application/json\r\n",
  ].join("\r\n");
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    socket.setNoDelay(true);
    socket.once("error", reject);
    socket.once("secureConnect", () => {
      const read = reader(socket, reject);
      resolve({
        send: ({ method, path, body, contentType = "application/json" }) => {
          const answer = read();
          const length = `Content-Length: ${Buffer.byteLength(body ?? "")}`;
          const payload = body
            ? `Content-Type: ${contentType}\r\n${length}\r\n\r\n${body}`
            : "\r\n";
          socket.write(`${method} ${path} ${head}${payload}`);
          return answer;
        },
        close: () => socket.destroy(),
      });
    });
  });
}

/** The end of an answer without Content-Length. */
const LAST_CHUNK = "\r\n0\r\n\r\n";

/** Waits for one complete answer at a time and returns its status. */
function reader(socket: TLSSocket, fail: (error: Error) => void): () => Promise<number> {
  let received = 0;
  let expected = -1;
  let status = 0;
  let tail = "";
  let done: (status: number) => void = () => {};
  socket.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (expected < 0) {
      const text = chunk.toString("latin1", 0, Math.min(chunk.length, 2_048));
      const end = text.indexOf("\r\n\r\n");
      const length = /content-length: (\d+)/i.exec(text)?.[1];
      const isChunked = /transfer-encoding: chunked/i.test(text);
      if (end < 0 || (length === undefined && !isChunked)) {
        fail(new Error(`an answer without a length: ${text.slice(0, 200)}`));
        return;
      }
      status = Number(text.slice(9, 12));
      expected = isChunked ? Number.POSITIVE_INFINITY : end + 4 + Number(length);
    }
    if (expected === Number.POSITIVE_INFINITY) {
      tail = (tail + chunk.toString("latin1", Math.max(0, chunk.length - 7))).slice(-7);
      if (tail !== LAST_CHUNK) return;
    } else if (received < expected) return;
    received = 0;
    expected = -1;
    tail = "";
    done(status);
  });
  return () =>
    new Promise((resolve) => {
      done = resolve;
    });
}
