/** Reads the body of a request, within the limits per request and for all together. */
import type { IncomingMessage } from "node:http";
import { ApiError } from "../../api/errors.ts";

export const BODY_LIMIT_BYTES = 3 * 1024 * 1024;
/** For the bodies of all requests that are being read or wait to be served. */
const BODIES_LIMIT_BYTES = 256 * 1024 * 1024;

/** The size of all request bodies of a server at the moment. */
export interface Bodies {
  bytes: number;
}

/** The bytes stop counting when the exchange ends, however it ends. */
export function readBody(
  message: IncomingMessage,
  { bodies, limitBytes }: { readonly bodies: Bodies; readonly limitBytes: number },
  onOver: (callback: () => void) => void,
): Promise<Buffer> {
  const length = Number(message.headers["content-length"] ?? 0);
  if (length > limitBytes) return Promise.reject(refused(message, tooLarge(limitBytes)));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    onOver(() => {
      bodies.bytes -= size;
      size = 0;
    });
    message.on("data", (chunk: Buffer) => {
      size += chunk.length;
      bodies.bytes += chunk.length;
      if (size > limitBytes) reject(refused(message, tooLarge(limitBytes)));
      else if (bodies.bytes > BODIES_LIMIT_BYTES) reject(refused(message, tooManyRequests()));
      else chunks.push(chunk);
    });
    message.on("end", () => {
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    message.on("error", reject);
    message.on("aborted", () => reject(new ApiError(400, "BadRequest", "the request was aborted")));
  });
}

/** The rest of the body is read and discarded, so that the client receives the answer. */
function refused(message: IncomingMessage, error: ApiError): ApiError {
  message.removeAllListeners("data");
  message.resume();
  return error;
}

function tooLarge(limitBytes: number): ApiError {
  const problem = `Request entity too large: limit is ${limitBytes}`;
  return new ApiError(413, "RequestEntityTooLarge", problem);
}

/** Kubernetes' message, which clients recognise: they wait and retry. */
export function tooManyRequests(): ApiError {
  const problem = "Too many requests, please try again later.";
  return new ApiError(429, "TooManyRequests", problem, { retryAfterSeconds: 1 });
}
