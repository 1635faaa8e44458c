/** Pure: formats errors of a server as kubectl does. */
import { ApiError, type StatusCause } from "../api/errors.ts";
import { quote } from "../api/finding.ts";
import { describeError } from "../base/describe-error.ts";
import { CommandFailure } from "./command-failure.ts";

/** One line, unless several fields are wrong. */
export function errorText(error: unknown): string {
  if (error instanceof CommandFailure) return error.message;
  if (!(error instanceof ApiError)) return `error: ${describeError(error)}`;
  if (error.reason === "Invalid") return invalidText(error);
  const reason = error.reason === "" ? "" : ` (${error.reason})`;
  return `Error from server${reason}: ${error.message}`;
}

/** All errors as one, in order. */
export function failureOf(errors: readonly unknown[]): CommandFailure | undefined {
  if (errors.length === 0) return undefined;
  return new CommandFailure(errors.map(errorText).join("\n"));
}

function invalidText({ status }: ApiError): string {
  const { details, message = "" } = status;
  if (details === undefined) {
    return message === "" ? "The request is invalid" : `The request is invalid: ${message}`;
  }
  const { kind = "", name = "", causes = [] } = details;
  const what = kind === "" && name === "" ? "The request is invalid" : named(kind, name);
  const faults = [...new Set(causes.map(causeText))];
  if (faults.length === 0) return what;
  if (faults.length === 1) return `${what}: ${faults[0]}`;
  return `${what}: ${faults.map((fault) => `\n* ${fault}`).join("")}`;
}

function named(kind: string, name: string): string {
  return `The ${kind} ${quote(name)} is invalid`;
}

function causeText({ field = "", message = "" }: StatusCause): string {
  return field === "" ? message : `${field}: ${message}`;
}
