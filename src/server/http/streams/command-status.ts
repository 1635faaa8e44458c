/** Pure: the Status that reports the end of a command, in kubelet's words. */
import { ApiError, type Status } from "../../../api/errors.ts";
import type { CommandEnd, TerminalSize } from "../../../api/stream-source.ts";

/** Without kind and apiVersion, as Go prints it here. */
export type CommandStatus = Omit<Status, "kind" | "apiVersion">;

export function commandStatus(end: CommandEnd, command: readonly string[]): CommandStatus {
  if (end.problem !== undefined) return failedToBegin(end.problem, command);
  const { exitCode = 0 } = end;
  if (exitCode === 0) return { metadata: {}, status: "Success" };
  const error = `error executing command [${command.join(" ")}], exit code ${exitCode}`;
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: ${error}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
  };
}

function failedToBegin(problem: string, command: readonly string[]): CommandStatus {
  const what = command.length === 0 ? "attaching to" : "executing command in";
  const message = `error ${what} container: failed to exec in container: ${problem}`;
  const error = new ApiError(500, "InternalError", `Internal error occurred: ${message}`, {
    causes: [{ message }],
  });
  const { kind: _kind, apiVersion: _apiVersion, ...status } = error.status;
  return status;
}

/** Undefined if the text is not a size. */
export function parseSize(text: string): TerminalSize | undefined {
  try {
    const { Width: width, Height: height } = JSON.parse(text);
    return isSize(width) && isSize(height) ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

const LARGEST = 65_535;

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0 && value <= LARGEST;
}
