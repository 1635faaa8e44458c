/** Sends HTTP requests to a server in process: `ask` for an answer, `askWatch`, `askStream`. */
import type { KubeObject } from "../../src/api/object.ts";
import type { ReadYaml } from "../../src/api/schema/yaml-text.ts";
import type { User } from "../../src/server/authorization/user.ts";
import type { Answer, WatchAnswer } from "../../src/server/http/answer.ts";
import { handle } from "../../src/server/http/handle.ts";
import type { ApiServer } from "../../src/server/http/request.ts";

export interface Headers {
  readonly accept?: string;
  readonly contentType?: string;
  readonly ifNoneMatch?: string;
  readonly userAgent?: string;
  /** Stands in for the thread that parses large YAML bodies. */
  readonly yaml?: ReadYaml;
  /** The user who sends the request; default: a user who may do everything. */
  readonly user?: User;
}

export interface Told {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
  readonly text: string;
  readonly warnings: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** The revision that must be on disk before the server may send the answer. */
  readonly revision: number | undefined;
  /** The body as an object. Use toMatchObject to check fields beyond those of KubeObject. */
  readonly object: KubeObject;
}

/** A string or buffer is sent unchanged, anything else as JSON. */
export function ask(
  server: ApiServer,
  method: string,
  url: string,
  body?: unknown,
  headers: Headers = {},
): Told {
  const answer = answerOf(server, method, url, body, headers);
  if (answer.type !== "bytes")
    throw new Error(`${url} is a ${answer.type}: use askWatch or askStream`);
  const { body: told } = answer;
  return {
    status: answer.status,
    contentType: answer.contentType,
    warnings: answer.warnings ?? [],
    headers: answer.headers ?? {},
    revision: answer.revision,
    // Computed on demand, because some tests measure with ask() how much work the server does.
    get bytes() {
      return Buffer.from(told);
    },
    get text() {
      return this.bytes.toString("utf8");
    },
    get object() {
      return JSON.parse(this.text);
    },
  };
}

export function askWatch(server: ApiServer, url: string, accept?: string): WatchAnswer {
  const answer = answerOf(server, "GET", url, undefined, accept === undefined ? {} : { accept });
  if (answer.type === "watch") return answer;
  throw new Error(`not a watch but ${describeAnswer(answer)}`);
}

/** Collects the whole stream. Rejects if the stream fails. */
export async function askStream(
  server: ApiServer,
  url: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ readonly contentType: string; readonly text: string }> {
  const answer = answerOf(server, "GET", url, undefined, {});
  if (answer.type !== "stream") throw new Error(`not a stream but ${describeAnswer(answer)}`);
  const pieces: Uint8Array[] = [];
  for await (const piece of await answer.open(signal)) pieces.push(piece);
  return { contentType: answer.contentType, text: Buffer.concat(pieces).toString("utf8") };
}

function describeAnswer(answer: Answer): string {
  if (answer.type !== "bytes") return `a ${answer.type}`;
  return `${answer.status}: ${Buffer.from(answer.body).toString("utf8")}`;
}

function answerOf(
  server: ApiServer,
  method: string,
  url: string,
  body: unknown,
  headers: Headers,
): Answer {
  const [path = "", query = ""] = url.split("?");
  const isSent = typeof body === "string" || Buffer.isBuffer(body);
  const sent = body === undefined ? "" : isSent ? body : JSON.stringify(body);
  const bytes = Buffer.isBuffer(sent) ? sent : Buffer.from(sent);
  return handle(server, {
    method,
    path,
    query: new URLSearchParams(query),
    accept: headers.accept,
    contentType: headers.contentType ?? CONTENT_TYPES[method],
    ifNoneMatch: headers.ifNoneMatch,
    userAgent: headers.userAgent,
    body: bytes,
    yaml: headers.yaml,
    user: headers.user ?? { name: "tester", groups: ["system:masters"] },
  });
}

const CONTENT_TYPES: { readonly [method: string]: string } = {
  PATCH: "application/merge-patch+json",
};
