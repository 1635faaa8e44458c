/** The only place that converts errors to Status answers. */
import { ApiError, type Status } from "../../api/errors.ts";
import { StorageFailed } from "../../store/types.ts";
import type { BytesAnswer } from "./answer.ts";
import { negotiateError } from "./negotiate.ts";
import { representStatus } from "./represent.ts";
import type { ApiServer, Request } from "./request.ts";

export function errorAnswer(
  server: Pick<ApiServer, "log" | "exceptions">,
  request: Pick<Request, "accept" | "method" | "path">,
  error: unknown,
): BytesAnswer {
  const status = statusOf(error);
  if (status.code === 500) {
    const { method, path } = request;
    server.exceptions?.add({ outcome: "answered" });
    server.log.error("request failed", { method, path, error: String(error), ...stackOf(error) });
  }
  const retryAfter = status.details?.retryAfterSeconds;
  return {
    type: "bytes",
    status: status.code ?? 500,
    ...representStatus(negotiateError(request.accept), status),
    ...(retryAfter ? { headers: { "Retry-After": String(retryAfter) } } : {}),
  };
}

/**
 * Adds the warnings of the request to its answer, whether it succeeds or fails. `warnings` is read
 * afterwards, because answering may add to it.
 */
export function warned(
  server: Pick<ApiServer, "log" | "exceptions">,
  request: Pick<Request, "accept" | "method" | "path">,
  warnings: readonly string[],
  answer: () => BytesAnswer,
): BytesAnswer {
  try {
    const given = answer();
    return { ...given, warnings: [...warnings, ...(given.warnings ?? [])] };
  } catch (error) {
    const own = error instanceof ApiError ? error.warnings : [];
    return { ...errorAnswer(server, request, error), warnings: [...warnings, ...own] };
  }
}

function statusOf(error: unknown): Status {
  if (error instanceof ApiError) return error.status;
  const message = error instanceof StorageFailed ? error.message : "the server failed; see its log";
  return new ApiError(500, "InternalError", `Internal error occurred: ${message}`, {
    causes: [{ message }],
  }).status;
}

function stackOf(error: unknown): { stack?: string } {
  return error instanceof Error && error.stack ? { stack: error.stack } : {};
}
