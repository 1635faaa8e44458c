/** Pure: the error for a server that cannot be reached. */
import { describeError } from "../base/describe-error.ts";
import { CommandFailure } from "./command-failure.ts";

/** The reason is given only if it is not the obvious one: nothing listens at the address. */
export function unreachable(url: string, error: unknown): unknown {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (cause instanceof Error && cause.name === "AbortError") return error;
  if (NOBODY_THERE.includes(code)) {
    return new CommandFailure(`error: no server answers at ${url} (start one with "tally up")`);
  }
  return new CommandFailure(`error: ${url} cannot be asked: ${describeError(cause)}`);
}

const NOBODY_THERE = ["ECONNREFUSED", "ENOTFOUND", "EHOSTUNREACH", "ENETUNREACH", "ECONNRESET"];
