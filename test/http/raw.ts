/** Raw bytes on a connection, for requests that no HTTP client would send. */
import { connect, type TLSSocket } from "node:tls";
import type { Tally } from "../support/tally.ts";

export interface Connection {
  readonly socket: TLSSocket;
  /** Everything received so far. */
  received(): string;
  /** Settles once the received text matches the pattern, or the connection has ended. */
  until(pattern: RegExp): Promise<string>;
  /** Settles once the server has closed or reset the connection. */
  over(): Promise<string>;
}

const LONGEST_MATCH = 1024;

export async function open(tally: Tally): Promise<Connection> {
  const { hostname, port } = new URL(tally.url);
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
  let text = "";
  let isOver = false;
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) listener();
  };
  const finish = (): void => {
    isOver = true;
    tell();
  };
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
    tell();
  });
  // A reset also ends the connection.
  socket.on("error", finish).on("end", finish).on("close", finish);
  const wait = (isThere: () => boolean): Promise<string> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!isThere()) return;
        listeners.delete(look);
        resolve(text);
      };
      listeners.add(look);
      look();
    });
  await new Promise<void>((resolve) => socket.once("secureConnect", resolve));
  return {
    socket,
    received: () => text,
    until: (pattern) => {
      let looked = 0;
      return wait(() => {
        // Text that did not match is not searched again, except for its end, where a match may
        // continue.
        const from = Math.max(0, looked - LONGEST_MATCH);
        looked = text.length;
        return isOver || pattern.test(text.slice(from));
      });
    },
    over: () => wait(() => isOver),
  };
}

/** The head of a request, up to the empty line. */
export function head(tally: Tally, line: string, headers: readonly string[] = []): string {
  const { host } = new URL(tally.url);
  const always = [`Host: ${host}`, `Authorization: Bearer ${tally.token}`];
  return `${[line, ...always, ...headers].join("\r\n")}\r\n\r\n`;
}
