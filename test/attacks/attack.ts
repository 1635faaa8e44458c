/** An attack as data: what is sent, and how the server must reject it. */
import { expect } from "vitest";
import { head, open } from "../http/raw.ts";
import type { Answer } from "../support/tally.ts";
import { type Asked, ask, type Target } from "./target.ts";

export interface Attack {
  readonly name: string;
  /** Throws if the attack was not rejected. */
  readonly run: (target: Target) => Promise<void>;
}

type Refused = number | readonly number[];

/** A request by a well-behaved HTTP client, which must be answered with one of these codes. */
export function request(name: string, refused: Refused, asked: Asked): Attack {
  return {
    name,
    run: async (target) => {
      const answer = await ask(target, asked);
      expect([refused].flat(), answer.text.slice(0, 300)).toContain(answer.status);
      expectNothingTold(answer);
    },
  };
}

/** The answer must not reveal a stack trace, a file of the server or a secret. */
export function expectNothingTold({ text }: Pick<Answer, "text">): void {
  expect(text).not.toMatch(/\n\s+at |node:internal|\.[cm]?[jt]s:\d|swordfish/);
}

/** A second request on the same connection. The server must not answer it. */
export const SMUGGLED = "GET /version HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

/** A raw request: by default with Host and with the token of the administrator. */
export interface Bytes {
  readonly line: string;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  /** Sends neither Host nor Authorization. */
  readonly isBare?: boolean;
}

/** Sends bytes on a connection and closes it; everything that comes back must match `refused`. */
export function bytes(name: string, refused: RegExp, given: Bytes): Attack {
  return {
    name,
    run: async ({ tally }) => {
      const connection = await open(tally);
      const { line, headers = [], body = "", isBare } = given;
      const bare = `${[line, ...headers].join("\r\n")}\r\n\r\n`;
      connection.socket.write(isBare ? bare : head(tally, line, headers));
      connection.socket.end(body);
      const told = await connection.over();
      expect(told).toMatch(refused);
      expect(told).not.toMatch(/^HTTP\/1\.1 500/m);
      expectNothingTold({ text: told });
      connection.socket.destroy();
    },
  };
}

export function played(name: string, run: Attack["run"]): Attack {
  return { name, run };
}

/** The server closes the connection, with or without an error answer, and sends nothing else. */
export const CLOSED = /^(?:HTTP\/1\.1 4\d\d [\s\S]*)?$/;
export const BAD_REQUEST = /^HTTP\/1\.1 400 Bad Request\r\n/;

export const OWN = "/api/v1/namespaces/own/configmaps";
export const DEFAULT = "/api/v1/namespaces/default";
export const CONFIG_MAPS = `${DEFAULT}/configmaps`;
export const JOBS = "/apis/batch/v1/namespaces/default/jobs";
export const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
