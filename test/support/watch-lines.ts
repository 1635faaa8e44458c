/** A watch over HTTP, read line by line until it is closed from either side. */
import { request } from "node:https";
import type { Tally } from "./tally.ts";

export interface SeenEvent {
  readonly type: string;
  readonly name: string;
  readonly revision: number;
  readonly value: string | undefined;
}

export interface OpenWatch {
  /** Closes it and answers with all whole events it received. */
  close(): Promise<readonly SeenEvent[]>;
}

export function watchLines(tally: Tally, path: string): Promise<OpenWatch> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${tally.url}${path}`,
      { rejectUnauthorized: false, headers: { Authorization: `Bearer ${tally.token}` } },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        const ended = new Promise<void>((done) => {
          response.once("close", done);
          response.once("error", () => done());
        });
        resolve({
          close: async () => {
            sent.destroy();
            await ended;
            return text.split("\n").slice(0, -1).map(parseEvent);
          },
        });
      },
    );
    sent.on("error", reject);
    sent.end();
  });
}

function parseEvent(line: string): SeenEvent {
  const { type, object } = JSON.parse(line);
  return {
    type,
    name: object.metadata?.name,
    revision: Number(object.metadata?.resourceVersion),
    value: object.data?.value,
  };
}
