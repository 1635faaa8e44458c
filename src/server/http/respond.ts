/** Answers on their way out: headers, warnings, compression, and where a watch writes to. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, gzip } from "node:zlib";
import type { BytesAnswer } from "./answer.ts";
import type { Sink } from "./watch-stream.ts";

const GZIP_FROM_BYTES = 128 * 1024;
const ONE_WRITE_BYTES = 32 * 1024;

export function send(
  answer: BytesAnswer,
  message: IncomingMessage,
  response: ServerResponse,
): void {
  const { body, contentType } = answer;
  const headers: Headers = { "Cache-Control": "no-cache, private", ...answer.headers };
  if (contentType !== undefined) headers["Content-Type"] = contentType;
  addWarnings(headers, answer.warnings ?? []);
  if (body.length <= GZIP_FROM_BYTES || !acceptsGzip(message)) {
    write(answer.status, headers, body, message, response);
    return;
  }
  gzip(body, { level: constants.Z_BEST_SPEED }, (error, compressed) => {
    if (error) {
      response.destroy(error);
      return;
    }
    headers["Content-Encoding"] = "gzip";
    headers["Vary"] = "Accept-Encoding";
    write(answer.status, headers, compressed, message, response);
  });
}

interface Headers {
  [name: string]: string | string[];
}

function addWarnings(headers: Headers, warnings: readonly string[]): void {
  if (warnings.length > 0) headers["Warning"] = [...new Set(warnings)].map(formatWarning);
}

function write(
  status: number,
  headers: Headers,
  body: Uint8Array | string,
  message: IncomingMessage,
  response: ServerResponse,
): void {
  if (status !== 204 && status !== 304) {
    headers["Content-Length"] = String(Buffer.byteLength(body));
  }
  response.writeHead(status, headers);
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

export function streamHeaders(contentType: string, warnings: readonly string[]): Headers {
  const headers: Headers = { "Content-Type": contentType, "Cache-Control": "no-cache, private" };
  addWarnings(headers, warnings);
  return headers;
}

export function sinkOf(response: ServerResponse): Sink {
  return {
    begin: (contentType, warnings) => {
      response.writeHead(200, streamHeaders(contentType, warnings));
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
    onceTaken: (callback) => {
      response.once("drain", callback);
    },
    get bufferedBytes() {
      return response.writableLength;
    },
  };
}
