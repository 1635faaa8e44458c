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

/** What is handed over at a time: it is kept twice, as it is and encrypted, until it is taken. */
const SLICE_BYTES = 32 * 1024;

export function sinkOf(response: ServerResponse): Sink {
  // Watches share what they are told: the part that waits costs nothing but the reference.
  let rest: Uint8Array = NOTHING;
  let whenTaken: (() => void) | undefined;
  const handOver = (): boolean => {
    let hasRoom = true;
    while (hasRoom && rest.length > 0) {
      const slice = rest.subarray(0, SLICE_BYTES);
      rest = rest.subarray(slice.length);
      hasRoom = response.write(slice);
    }
    return hasRoom;
  };
  const onDrain = (): void => {
    // Nothing drains after a last slice that leaves room.
    const isTaken = handOver() && rest.length === 0;
    if (!isTaken || !whenTaken) return;
    const callback = whenTaken;
    whenTaken = undefined;
    callback();
  };
  return {
    begin: (contentType, warnings) => {
      response.writeHead(200, streamHeaders(contentType, warnings));
      response.flushHeaders();
      response.on("drain", onDrain);
    },
    write: (bytes) => {
      if (rest.length > 0) rest = Buffer.concat([rest, bytes]);
      else if (bytes.length <= SLICE_BYTES) response.write(bytes);
      else {
        rest = bytes;
        handOver();
      }
    },
    end: () => {
      if (rest.length > 0) response.end(rest);
      else response.end();
    },
    abort: () => {
      response.destroy();
    },
    onceTaken: (callback) => {
      whenTaken = callback;
    },
    get bufferedBytes() {
      return response.writableLength + rest.length;
    },
  };
}

const NOTHING = new Uint8Array();
