/** Pure: what is told of pods whose output is not kept. */
import type { Notice } from "../notice.ts";
import type { LogNews } from "./log-store.ts";

/** A full disk takes few events itself. */
export const MOST_TOLD = 100;
export const DISK_FULL: Notice = {
  reason: "LogDiskFull",
  message: "the disk that holds the logs is full: what containers print is lost until it is not",
};

export function logLimitNotice({ id, maxBytes }: LogLimitNews, isFailed: boolean): Notice {
  const limit = `container ${id.container} printed more than the ${maxBytes} bytes that are kept`;
  const what = isFailed ? "it is failed" : "what it prints from here on is discarded";
  return { reason: "LogLimitExceeded", message: `${limit} of one run: ${what}` };
}

type LogLimitNews = Extract<LogNews, { kind: "limit" }>;
