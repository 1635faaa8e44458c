/** Sockets: reads requests within limits, holds answers until they are durable, streams watches. */

import type { ServerResponse } from "node:http";
import { createServer as createHttpServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { ApiError } from "../../api/errors.ts";
import type { Answer, BytesAnswer } from "./answer.ts";
import { errorAnswer } from "./error-answer.ts";
import { admitCaller, type Guard } from "./guard.ts";
import { handle } from "./handle.ts";
import { parseQuery } from "./query.ts";
import type { ApiServer, User } from "./request.ts";
import { type Sink, WatchStream } from "./watch-stream.ts";

export interface ListenOptions {
  readonly address: string;
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly guard: Guard;
}

export interface Listener {
  readonly port: number;
  /** Stops accepting, ends watches, lets answers under way finish. */
  close(): Promise<void>;
}

const BODY_LIMIT_BYTES = 3 * 1024 * 1024;
const HEADER_LIMIT_BYTES = 64 * 1024;
const GZIP_FROM_BYTES = 128 * 1024;
const ONE_WRITE_BYTES = 32 * 1024;
/** Go keeps idle connections for 90 s; closing them sooner resets requests under way. */
const KEEP_ALIVE_MS = 125_000;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
const CLOSE_GRACE_MS = 2_000;

const compress = promisify(gzip);

export async function listen(server: ApiServer, options: ListenOptions): Promise<Listener> {
  const watches = new Set<WatchStream>();
  const onRequest = (message: IncomingMessage, response: ServerResponse): void => {
    serve(server, options.guard, watches, message, response).catch((error: unknown) => {
      server.log.error("answer failed", { error: String(error) });
      response.destroy();
    });
  };
  const limits = { maxHeaderSize: HEADER_LIMIT_BYTES, noDelay: true };
  const http: Server = options.tls
    ? createHttpsServer({ ...limits, ...options.tls, minVersion: "TLSv1.2" }, onRequest)
    : createHttpServer(limits, onRequest);
  http.keepAliveTimeout = KEEP_ALIVE_MS;
  http.headersTimeout = HEADERS_TIMEOUT_MS;
  http.requestTimeout = REQUEST_TIMEOUT_MS;
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(options.port, options.address, () => {
      http.off("error", reject);
      resolve();
    });
  });
  return {
    port: (http.address() as AddressInfo).port,
    close: () => close(http, watches),
  };
}

function close(http: Server, watches: ReadonlySet<WatchStream>): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => http.closeAllConnections(), CLOSE_GRACE_MS);
    http.close(() => {
      clearTimeout(force);
      resolve();
    });
    for (const watch of watches) watch.finish();
    http.closeIdleConnections();
  });
}

async function serve(
  server: ApiServer,
  guard: Guard,
  watches: Set<WatchStream>,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answer = await answerTo(server, guard, message);
  if (answer.type === "watch") {
    if (response.destroyed) return;
    await server.store.durable(Math.min(answer.watching.revision, server.store.revision));
    const watch = new WatchStream(server, answer, sinkOf(response));
    watches.add(watch);
    response.on("close", () => {
      watch.close();
      watches.delete(watch);
    });
    watch.start();
    return;
  }
  await send(answer, message, response);
}

async function answerTo(
  server: ApiServer,
  guard: Guard,
  message: IncomingMessage,
): Promise<Answer> {
  const { method = "GET", url = "/", headers } = message;
  const question = url.indexOf("?");
  const path = question < 0 ? url : url.slice(0, question);
  const request = { method, path, accept: headers.accept };
  try {
    const user: User = admitCaller(guard, path, {
      host: headers.host,
      origin: headers.origin,
      authorization: headers.authorization,
    });
    const body = await readBody(message);
    const answer = handle(server, {
      ...request,
      query: parseQuery(question < 0 ? "" : url.slice(question + 1)),
      contentType: headers["content-type"],
      ifNoneMatch: headers["if-none-match"],
      body,
      user,
    });
    // The prefix rule: nobody outside learns of a write that a crash could take back.
    const revision = answer.type === "bytes" ? (answer.revision ?? server.store.revision) : 0;
    if (revision > server.store.durableRevision) await server.store.durable(revision);
    return answer;
  } catch (error) {
    return errorAnswer(server, request, error);
  }
}

const NO_BODY = Buffer.alloc(0);

function readBody(message: IncomingMessage): Promise<Buffer> | Buffer {
  const { method, headers } = message;
  if (method === "GET" || method === "HEAD") return NO_BODY;
  if (Number(headers["content-length"] ?? 0) > BODY_LIMIT_BYTES) throw tooLarge(message);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    message.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > BODY_LIMIT_BYTES) reject(tooLarge(message));
      else chunks.push(chunk);
    });
    message.on("end", () => {
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    message.on("error", reject);
    message.on("aborted", () => reject(new ApiError(400, "BadRequest", "the request was aborted")));
  });
}

function tooLarge(message: IncomingMessage): ApiError {
  // What is left of the body is read and thrown away, so that the client gets to see the answer.
  message.resume();
  const problem = `Request entity too large: limit is ${BODY_LIMIT_BYTES}`;
  return new ApiError(413, "RequestEntityTooLarge", problem);
}

async function send(
  answer: BytesAnswer,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let body: Uint8Array | string = answer.body;
  const headers: Record<string, string | string[]> = {
    "Cache-Control": "no-cache, private",
    ...answer.headers,
  };
  if (answer.contentType !== undefined) headers["Content-Type"] = answer.contentType;
  if (answer.warnings && answer.warnings.length > 0) {
    headers["Warning"] = [...new Set(answer.warnings)].map(formatWarning);
  }
  if (body.length > GZIP_FROM_BYTES && acceptsGzip(message)) {
    body = await compress(body, { level: constants.Z_BEST_SPEED });
    headers["Content-Encoding"] = "gzip";
    headers["Vary"] = "Accept-Encoding";
  }
  if (answer.status !== 204 && answer.status !== 304) {
    headers["Content-Length"] = String(Buffer.byteLength(body));
  }
  response.writeHead(answer.status, headers);
  if (message.method === "HEAD") response.end();
  // A string leaves together with its headers: one TLS record instead of two.
  else if (body.length < ONE_WRITE_BYTES) response.end(asLatin1(body), "latin1");
  else response.end(body);
}

function asLatin1(body: Uint8Array | string): string {
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

function acceptsGzip(message: IncomingMessage): boolean {
  return /\bgzip\b/.test(String(message.headers["accept-encoding"] ?? ""));
}

/** RFC 7234: the text is a quoted string; anything a header cannot carry is left out. */
function formatWarning(text: string): string {
  const quoted = text.replace(/[\u0000-\u001f\u007f]/g, " ").replace(/[\\"]/g, "\\$&");
  return Buffer.from(`299 - "${quoted}"`, "utf8").toString("latin1");
}

function sinkOf(response: ServerResponse): Sink {
  return {
    begin: (contentType) => {
      response.writeHead(200, {
        "Content-Type": contentType,
        "Cache-Control": "no-cache, private",
      });
      response.flushHeaders();
    },
    write: (bytes) => {
      response.write(bytes);
    },
    end: () => {
      response.end();
    },
    abort: () => {
      response.destroy();
    },
    get bufferedBytes() {
      return response.writableLength;
    },
  };
}
