/** A watch over HTTP, read line by line until it is closed from either side. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { CalledServer } from "./call-server.ts";

export interface SeenEvent {
  readonly type: string;
  readonly name: string;
  readonly revision: number;
  readonly value: string | undefined;
  /** The status code, if the type is ERROR. */
  readonly code: number | undefined;
}

export interface OpenWatch {
  /**
   * Settles when the watch has delivered this revision or a later one, was rejected, or has ended.
   */
  reached(revision: number): Promise<void>;
  /** Closes the watch and returns all complete events. */
  close(): Promise<readonly SeenEvent[]>;
}

export function watchLines({ url, token }: CalledServer, path: string): Promise<OpenWatch> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith("http:") ? httpRequest : httpsRequest;
    const headers = { Authorization: `Bearer ${token}` };
    const sent = send(`${url}${path}`, { rejectUnauthorized: false, headers }, (response) => {
      resolve(follow(response, () => sent.destroy()));
    });
    sent.on("error", reject);
    sent.end();
  });
}

function follow(response: IncomingMessage, destroy: () => void): OpenWatch {
  const events: SeenEvent[] = [];
  const waiting = new Map<() => void, number>();
  let rest = "";
  let isOver = false;
  const isReached = (revision: number) => {
    const last = events.at(-1);
    return isOver || last?.type === "ERROR" || (last?.revision ?? 0) >= revision;
  };
  const tell = () => {
    for (const [settle, revision] of waiting) if (isReached(revision)) settle();
  };
  response.setEncoding("utf8").on("data", (part: string) => {
    const lines = (rest + part).split("\n");
    rest = lines.pop() ?? "";
    events.push(...lines.map(parseEvent));
    tell();
  });
  const ended = new Promise<void>((done) => {
    const end = () => {
      isOver = true;
      tell();
      done();
    };
    response.once("close", end);
    response.once("error", end);
  });
  return {
    reached: (revision) =>
      isReached(revision)
        ? Promise.resolve()
        : new Promise((settle) => waiting.set(settle, revision)),
    close: async () => {
      destroy();
      await ended;
      return events;
    },
  };
}

function parseEvent(line: string): SeenEvent {
  const { type, object } = JSON.parse(line);
  return {
    type,
    name: object.metadata?.name,
    revision: Number(object.metadata?.resourceVersion),
    value: object.data?.value,
    code: object.code,
  };
}
