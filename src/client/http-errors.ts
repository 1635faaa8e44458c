/** Pure: converts an error answer of a server into an ApiError. */
import { ApiError, type Status } from "../api/errors.ts";

/** The text is a Status, unless a proxy between the client and the server answered instead. */
export function errorOf(code: number, text: string): ApiError {
  const status = parseStatus(text);
  if (status) return errorOfStatus(status, code);
  const told = text.trim().slice(0, LONGEST_TEXT);
  return new ApiError(
    code,
    REASONS[code] ?? "",
    told === "" ? `the server answered ${code}` : told,
  );
}

export function errorOfStatus(status: Status, code = 500): ApiError {
  const { reason = "", message = "", details } = status;
  return new ApiError(status.code ?? code, reason, message, details);
}

/** A proxy may answer with a whole error page, which is too long for a message. */
const LONGEST_TEXT = 2048;

const REASONS: { readonly [code: number]: string } = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

function parseStatus(text: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isStatus(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isStatus(value: unknown): value is Status {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "Status";
}
