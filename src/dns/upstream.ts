/** Forwards questions about other names to the host's name servers, one after the other. */
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { connect } from "node:net";
import type { Transport, Upstream } from "./respond.ts";
import { type DnsRecord, TYPE } from "./wire.ts";

export interface UpstreamOptions {
  /** "10.0.0.2" or "10.0.0.2:5353". Read for each question, because they may change. */
  readonly servers: () => readonly string[];
  readonly timeoutMs?: number;
}

/** Resolvers retry after five seconds. With this timeout two servers can be tried before. */
const TIMEOUT_MS = 2000;
/** The maximum number of pending questions. Each uses a socket. */
const MAX_WAITING = 512;

export function openUpstream({ servers, timeoutMs = TIMEOUT_MS }: UpstreamOptions): Upstream {
  let waiting = 0;
  const ask = async (question: Buffer, transport: Transport): Promise<Buffer | undefined> => {
    if (waiting >= MAX_WAITING) return undefined;
    waiting++;
    try {
      for (const server of servers()) {
        const answer = await askOne(parseServer(server), question, transport, timeoutMs);
        if (answer) return answer;
      }
      return undefined;
    } finally {
      waiting--;
    }
  };
  return {
    relay: (question, transport) => relay(ask, question, transport),
    resolve: (name, type) => resolve(ask, name, type),
  };
}

type Ask = (question: Buffer, transport: Transport) => Promise<Buffer | undefined>;

/** Uses a random ID of our own, which an attacker cannot guess. */
async function relay(
  ask: Ask,
  question: Buffer,
  transport: Transport,
): Promise<Buffer | undefined> {
  const sent = Buffer.from(question);
  sent.writeUInt16BE(randomInt(0x10000), 0);
  const answer = await ask(sent, transport);
  answer?.writeUInt16BE(question.readUInt16BE(0), 0);
  return answer;
}

/** The decoder is loaded when the first alias is followed. */
async function resolve(
  ask: Ask,
  name: string,
  type: number,
): Promise<readonly DnsRecord[] | undefined> {
  const packet = await import("dns-packet");
  const typeName = TYPE_NAMES[type];
  if (typeName === undefined) return [];
  const question = packet.encode({
    type: "query",
    id: randomInt(0x10000),
    flags: packet.RECURSION_DESIRED,
    questions: [{ type: typeName, name }],
  });
  const bytes = await ask(question, "tcp").then((answer) => answer ?? ask(question, "udp"));
  if (bytes === undefined) return undefined;
  return packet.decode(bytes).answers?.flatMap(recordOf) ?? [];
}

const TYPE_NAMES: { readonly [type: number]: "A" | "AAAA" } = {
  [TYPE.A]: "A",
  [TYPE.AAAA]: "AAAA",
};

function recordOf(answer: import("dns-packet").Answer): readonly DnsRecord[] {
  const { name } = answer;
  const ttl = ("ttl" in answer ? answer.ttl : undefined) ?? 0;
  if (answer.type === "A") {
    return [{ name, ttl, type: TYPE.A, address: answer.data.split(".").map(Number) }];
  }
  if (answer.type === "CNAME") return [{ name, ttl, type: TYPE.CNAME, target: answer.data }];
  return [];
}

interface Server {
  readonly host: string;
  readonly port: number;
}

function parseServer(text: string): Server {
  const [, host, port] = /^(\d+\.\d+\.\d+\.\d+):(\d+)$/.exec(text) ?? [];
  return host === undefined ? { host: text, port: 53 } : { host, port: Number(port) };
}

function askOne(
  server: Server,
  question: Buffer,
  transport: Transport,
  timeoutMs: number,
): Promise<Buffer | undefined> {
  return transport === "udp"
    ? askByDatagram(server, question, timeoutMs)
    : askByStream(server, question, timeoutMs);
}

/** A socket per question has a random port, which an attacker cannot guess. */
function askByDatagram(
  { host, port }: Server,
  question: Buffer,
  timeoutMs: number,
): Promise<Buffer | undefined> {
  return new Promise((settle) => {
    const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
    const finish = (answer?: Buffer) => {
      clearTimeout(timer);
      socket.close();
      settle(answer);
    };
    const timer = setTimeout(finish, timeoutMs);
    socket.on("error", () => finish());
    socket.on("message", (answer) => {
      if (isAnswerTo(question, answer)) finish(answer);
    });
    // A connected socket only receives datagrams from that server.
    socket.connect(port, host, () => socket.send(question));
  });
}

function askByStream(
  { host, port }: Server,
  question: Buffer,
  timeoutMs: number,
): Promise<Buffer | undefined> {
  return new Promise((settle) => {
    const socket = connect(port, host);
    let received = Buffer.alloc(0);
    const finish = (answer?: Buffer) => {
      clearTimeout(timer);
      socket.destroy();
      settle(answer);
    };
    const timer = setTimeout(finish, timeoutMs);
    socket.on("error", () => finish());
    socket.on("close", () => finish());
    socket.on("connect", () => socket.write(Buffer.concat([lengthOf(question), question])));
    socket.on("data", (piece) => {
      received = Buffer.concat([received, piece]);
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return;
      const answer = received.subarray(2, 2 + received.readUInt16BE(0));
      finish(isAnswerTo(question, answer) ? answer : undefined);
    });
  });
}

function lengthOf(message: Buffer): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(message.length);
  return bytes;
}

function isAnswerTo(question: Buffer, answer: Buffer): boolean {
  if (answer.length < 12 || answer.readUInt16BE(0) !== question.readUInt16BE(0)) return false;
  return (answer.readUInt8(2) & 0x80) !== 0;
}
