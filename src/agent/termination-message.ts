/**
 * What a container has to say of its end, by terminationMessagePath and terminationMessagePolicy.
 *
 * 1. What it wrote into its own file, which its runtime has named to it.
 * 2. Else what it wrote at a path of its choice, where that is a path of this host and there was no
 *    file before the run began. It is moved, so that the next run finds none; what was there before
 *    is somebody else's, and neither read nor touched.
 * 3. Else, if it failed and asks for that, the end of its log.
 */
import { rmSync, statSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import path from "node:path";
import type { Container, Pod } from "../api/generated/core.ts";
import { messageFile } from "../api/log-files.ts";
import { findContainer } from "./find-container.ts";
import type { LogStore } from "./logs/log-store.ts";
import { closeMessage, endOf, MOST_BYTES, READ } from "./logs/message-size.ts";
import type { Notice } from "./notice.ts";
import type { LastWords } from "./runs.ts";
import type { Exit } from "./runtimes/runtime.ts";

export interface TerminationMessages {
  readonly logs: Pick<LogStore, "fileOf" | "lastWords">;
  /** Whether the files of containers are those of this host. */
  readonly hasHostFiles: (pod: Pod) => boolean;
}

const DEFAULT_PATH = "/dev/termination-log";
/** Of all containers of a pod together. */
const MOST_BYTES_OF_POD = 12 * 1024;
const FALLBACK = { lines: 80, bytes: 2048 };

export function terminationMessages({ logs, hasHostFiles }: TerminationMessages): LastWords {
  return (pod, exit) => {
    const { id, exitCode, isLost } = exit;
    const container = findContainer(pod, id.container);
    if (container === undefined || isLost) return undefined;
    const own = messageFile(logs.fileOf(pod, id));
    if (isCustom(container) && hasHostFiles(pod)) collect(pathOf(container), own, exit);
    const size = sizeOf(own);
    if (size) return readEnd(own, size, bytesOf(pod)).finally(() => closeMessage(own));
    if (size === 0) rmSync(own, { force: true });
    const isAskedFor = container.terminationMessagePolicy === "FallbackToLogsOnError";
    if (exitCode === 0 || !isAskedFor) return undefined;
    return logs.lastWords(pod, id, FALLBACK).then(someText);
  };
}

/** Before a pod runs: which of its containers name a file that is somebody's already. */
export function unreadMessages(containers: readonly Container[]): readonly Notice[] {
  return containers.filter(isCustom).flatMap((container) => {
    const file = pathOf(container);
    if (statSync(file, { throwIfNoEntry: false }) === undefined) return [];
    const message =
      `terminationMessagePath ${file} is there already: it is left alone and not read; ` +
      "the variable TALLY_TERMINATION_LOG names a file of the container's own";
    return [{ reason: "TerminationMessageNotRead", message, container: container.name }];
  });
}

function isCustom({ terminationMessagePath = DEFAULT_PATH }: Container): boolean {
  return terminationMessagePath !== DEFAULT_PATH;
}

function pathOf({ terminationMessagePath = DEFAULT_PATH, workingDir = "" }: Container): string {
  return path.resolve(workingDir, terminationMessagePath);
}

/** The clock of file systems ticks a hundred times a second. */
const TICK_MS = 10;

function collect(file: string, own: string, { startedMs }: Exit): void {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile() || found.birthtimeMs < startedMs - TICK_MS) return;
    writeFileSync(own, endOf(file, found.size), { mode: 0o600 });
    rmSync(file);
  } catch {
    // A directory that is not ours, or a full disk: then there is no message.
  }
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

function bytesOf({ spec }: Pod): number {
  const containers = (spec.containers?.length ?? 0) + (spec.initContainers?.length ?? 0);
  return Math.min(MOST_BYTES, Math.floor(MOST_BYTES_OF_POD / Math.max(1, containers)));
}

/** The last 4096 bytes of it, and of these the first if a pod has many containers. */
async function readEnd(file: string, size: number, most: number): Promise<string | undefined> {
  const opened = await open(file, READ);
  try {
    const from = Math.max(0, size - MOST_BYTES);
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(most), 0, most, from);
    return someText(buffer.toString("utf8", 0, bytesRead));
  } finally {
    await opened.close();
  }
}

function someText(text: string): string | undefined {
  return text === "" ? undefined : text;
}
