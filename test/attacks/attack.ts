/** An attack is data: what is sent, and how it is refused. */
import { expect } from "vitest";
import { head, open } from "../http/raw.ts";
import type { Answer } from "../support/tally.ts";
import { type Asked, ask, type Target } from "./target.ts";

export interface Attack {
  readonly name: string;
  /** Throws where the attack was not refused. */
  readonly run: (target: Target) => Promise<void>;
}

type Refused = number | readonly number[];

/** A request by a well-behaved HTTP client, answered with one of these codes. */
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

/** A page, a stack or a file of the server is none of a client's business. */
export function expectNothingTold({ text }: Pick<Answer, "text">): void {
  expect(text).not.toMatch(/\n\s+at |node:internal|\.[cm]?[jt]s:\d|swordfish/);
}

/** One more request on the same connection, which must not be answered. */
export const SMUGGLED = "GET /version HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

/** The head of a request with the token of the administrator, or whatever else the line says. */
export interface Bytes {
  readonly line: string;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  /** Without Host and Authorization. */
  readonly isBare?: boolean;
}

/** Bytes on a connection, after which it is over; what came back matches. */
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

/** The connection is closed, with a complaint or without one, and nothing else. */
export const CLOSED = /^(?:HTTP\/1\.1 4\d\d [\s\S]*)?$/;
export const BAD_REQUEST = /^HTTP\/1\.1 400 Bad Request\r\n/;

export const OWN = "/api/v1/namespaces/own/configmaps";
export const DEFAULT = "/api/v1/namespaces/default";
export const CONFIG_MAPS = `${DEFAULT}/configmaps`;
export const JOBS = "/apis/batch/v1/namespaces/default/jobs";
export const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
