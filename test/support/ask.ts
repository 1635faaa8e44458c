/** Requests as a client writes them, answered in process. */
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
  /** What the body says as YAML, for large ones that are read in a thread. */
  readonly yaml?: ReadYaml;
  /** Who asks; absent: one who may do everything. */
  readonly user?: User;
}

export interface Told {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly bytes: Buffer;
  readonly text: string;
  readonly warnings: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** What must be on disk before the answer may leave. */
  readonly revision: number | undefined;
  /** The text as an object: what it holds besides is for toMatchObject to say. */
  readonly object: KubeObject;
}

/** Text and bytes are sent as they are, anything else as JSON. */
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
    // Only if a test asks for them: what the server spends is measured with this, too.
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

/** Everything that is sent; fails as the answer does. */
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
