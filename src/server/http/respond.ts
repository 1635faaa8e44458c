/** Sends answers: headers, warnings, compression. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, gzip } from "node:zlib";
import type { BytesAnswer } from "./answer.ts";
import type { Contain } from "./contain.ts";
import type { HoldAnswer } from "./hold-answer.ts";
import { composeWarningHeaders } from "./warning-headers.ts";

const GZIP_FROM_BYTES = 128 * 1024;
const ONE_WRITE_BYTES = 32 * 1024;

export function send(
  answer: BytesAnswer,
  message: IncomingMessage,
  response: ServerResponse,
  { contain, hold }: { readonly contain: Contain; readonly hold?: HoldAnswer | undefined },
): void {
  const { body, contentType } = answer;
  const headers: Headers = { "Cache-Control": "no-cache, private", ...answer.headers };
  if (contentType !== undefined) headers["Content-Type"] = contentType;
  addWarnings(headers, answer.warnings ?? []);
  if (body.length <= GZIP_FROM_BYTES || !acceptsGzip(message)) {
    write(answer.status, headers, body, message, response, hold);
    return;
  }
  const done = contain((error: Error | null, compressed: Buffer) => {
    if (error) throw error;
    headers["Content-Encoding"] = "gzip";
    headers["Vary"] = "Accept-Encoding";
    write(answer.status, headers, compressed, message, response, hold);
  });
  gzip(body, { level: constants.Z_BEST_SPEED }, done);
}

interface Headers {
  [name: string]: string | string[];
}

function addWarnings(headers: Headers, warnings: readonly string[]): void {
  if (warnings.length > 0) headers["Warning"] = [...composeWarningHeaders(warnings)];
}

function write(
  status: number,
  headers: Headers,
  body: Uint8Array | string,
  message: IncomingMessage,
  response: ServerResponse,
  hold: HoldAnswer | undefined,
): void {
  if (status !== 204 && status !== 304) {
    headers["Content-Length"] = String(Buffer.byteLength(body));
  }
  response.writeHead(status, headers);
  if (message.method === "HEAD") response.end();
  // A string is sent together with its headers: one TLS record instead of two.
  else if (body.length < ONE_WRITE_BYTES) response.end(asLatin1(body), "latin1");
  else {
    hold?.(body);
    response.end(body);
  }
}

function asLatin1(body: Uint8Array | string): string {
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

function acceptsGzip(message: IncomingMessage): boolean {
  return /\bgzip\b/.test(String(message.headers["accept-encoding"] ?? ""));
}

export function streamHeaders(contentType: string, warnings: readonly string[]): Headers {
  const headers: Headers = { "Content-Type": contentType, "Cache-Control": "no-cache, private" };
  addWarnings(headers, warnings);
  return headers;
}
