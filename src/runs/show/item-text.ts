/** Pure: texts about an item: its name, how it ended, its log, and how to retry it. */
import { REASON as UNKNOWN } from "../../api/exit-unknown.ts";
import type { AttemptEnd, ItemAttempt } from "../follow/attempt.ts";

/** What the texts need besides the item. */
export interface RunWords {
  readonly name: string;
  /** The limit of attempts at an item; undefined if there is none. */
  readonly attempts: number | undefined;
  /** The flags that another command needs to find the run: "" or " --data DIR". */
  readonly flags: string;
  readonly logOf: (attempt: ItemAttempt) => string;
}

/** "banana.txt (index 1)", "index 1", or the pod of a Job without indexes. */
export function itemText({ item, index, pod }: ItemAttempt): string {
  if (index === undefined) return pod.name;
  return item === undefined ? `index ${index}` : `${item} (index ${index})`;
}

/** The fields of an end that are shown. */
export type EndWords = Pick<AttemptEnd, "exitCode" | "signal" | "reason" | "message">;

/** "exit 3", "killed by SIGKILL (exit 137)", "took too long". */
export function endText(end: EndWords): string {
  const { exitCode, signal, reason, message } = end;
  if (reason === "DeadlineExceeded") return "took too long";
  if (reason === "StartError") return `could not start: ${message ?? `exit ${exitCode}`}`;
  if (reason === UNKNOWN) return "exit code unknown: its process was killed with its watchers";
  if (reason === "OOMKilled") return `out of memory (exit ${exitCode})`;
  if (signal !== undefined) return `killed by ${signalName(signal)} (exit ${exitCode})`;
  if (exitCode !== undefined) return `exit ${exitCode}`;
  return [reason ?? "failed", message].filter(Boolean).join(": ");
}

export function attemptText({ attempt }: ItemAttempt, { attempts }: RunWords): string {
  return attempts === undefined ? `attempt ${attempt}` : `attempt ${attempt} of ${attempts}`;
}

/** A failure in one line, with its log and how to retry it. */
export function failureText(end: AttemptEnd, words: RunWords): string {
  const again =
    end.index === undefined ? "" : `, run again with: ${retryCommand(end.index, words)}`;
  const how = `${endText(end)}, ${attemptText(end, words)}`;
  return `${itemText(end)}: ${how}, log ${words.logOf(end)}${again}`;
}

/** Whether another attempt may follow. */
export function mayBeRetried({ attempt }: ItemAttempt, { attempts }: RunWords): boolean {
  return attempts === undefined || attempt < attempts;
}

export function retryText(end: AttemptEnd, words: RunWords): string {
  return `${itemText(end)}: ${endText(end)}, ${attemptText(end, words)}, to be tried again`;
}

export function retryCommand(index: number, { name, flags }: RunWords): string {
  return `tally retry ${name} --index ${index}${flags}`;
}

const SIGNALS: { readonly [number: number]: string } = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  4: "SIGILL",
  6: "SIGABRT",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  14: "SIGALRM",
  15: "SIGTERM",
};

export function signalName(signal: number): string {
  return SIGNALS[signal] ?? `signal ${signal}`;
}
