/** Logs in a temporary directory, written as a process would, at times that the test chooses. */
import { appendFileSync, utimesSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type LogStore, type LogStoreOptions, openLogs } from "../../src/agent/logs/log-store.ts";
import type { ReadOptions } from "../../src/agent/logs/read-log.ts";
import type { Pod } from "../../src/api/generated/core.ts";
import { silentLog } from "../../src/base/log.ts";
import { ManualClock } from "../../src/base/manual-clock.ts";
import { storedPod } from "./pod.ts";

export interface TestLogs {
  readonly logs: LogStore;
  readonly clock: ManualClock;
  readonly directory: string;
  dispose(): Promise<void>;
}

export async function someLogs(options: Partial<LogStoreOptions> = {}): Promise<TestLogs> {
  const directory = await mkdtemp(path.join(tmpdir(), "tally-logs-"));
  const clock = new ManualClock();
  const logs = openLogs({ directory, clock, log: silentLog, ...options });
  const dispose = async (): Promise<void> => {
    logs.close();
    await rm(directory, { recursive: true, force: true });
  };
  return { logs, clock, directory, dispose };
}

export function loggedPod(name = "p", uid = `uid-of-${name}`): Pod {
  return storedPod({ metadata: { name, uid }, spec: { nodeName: "n" } });
}

/** Sets the file's modification time, so that the file system agrees with the test's clock. */
export function write(file: string, text: string, timeMs: number): void {
  appendFileSync(file, text);
  utimesSync(file, timeMs / 1000, timeMs / 1000);
}

export async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString("utf8");
}

export function readText(
  logs: LogStore,
  pod: Pod,
  options: ReadOptions = {},
  attempt = 0,
): Promise<string> {
  return textOf(logs.read(pod, { container: "c", attempt }, options));
}
