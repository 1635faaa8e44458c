/** A follower of a log over HTTP, which can be slow or stop reading. */
import { request } from "node:https";
import type { Tally } from "../support/tally.ts";

export interface Follower {
  /** Resolves with all the text when the log ends. */
  readonly ended: Promise<string>;
  /** Stops reading: further output stays in the connection's buffers. */
  pause(): void;
  close(): void;
}

export function follow(tally: Tally, pod: string): Promise<Follower> {
  const url = `${tally.url}/api/v1/namespaces/default/pods/${pod}/log?follow=true`;
  const headers = { Authorization: `Bearer ${tally.token}` };
  return new Promise((resolve, reject) => {
    const sent = request(url, { rejectUnauthorized: false, agent: false, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      const ended = new Promise<string>((done) => response.once("close", () => done(text)));
      resolve({ ended, pause: () => response.pause(), close: () => sent.destroy() });
    });
    sent.once("error", reject);
    sent.end();
  });
}
