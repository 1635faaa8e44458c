/**
 * The engine of a data directory: that of another process, over its socket, or our own. There is
 * no daemon: the first `tally run` is the engine for all others, and when it ends or dies whoever
 * notices first takes its place. Processes of tasks outlive either.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeError } from "../../base/describe-error.ts";
import { ensureOwnDirectory } from "../../base/own-directory.ts";
import {
  type CoreEngine,
  type CoreOptions,
  DATA_DIRECTORY_IN_USE,
  SOCKET,
} from "../../engine-options.ts";
import type { ReachedEngine } from "./reached-engine.ts";

export type StartCoreEngine = (options: CoreOptions) => Promise<CoreEngine>;

export interface Reaching {
  readonly dataDir: string;
  /** Starts one of our own; rejects with DATA_DIRECTORY_IN_USE where another was quicker. */
  readonly start: () => Promise<CoreEngine>;
}

/** A server that is starting has its directory before it answers. */
const LONGEST_WAIT_MS = 30_000;
const AGAIN_MS = 20;

export async function reachEngine({ dataDir, start }: Reaching): Promise<ReachedEngine> {
  const untilMs = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const found = await findEngine(dataDir);
    if (found) return found;
    try {
      const engine = await start();
      const { client, ledger, begun } = engine;
      return { client, ledger, isOwn: true, begun, close: async () => void (await engine.stop()) };
    } catch (error) {
      if (!isInUse(error)) throw error;
      if (performance.now() > untilMs) {
        throw new Error(`${describeError(error)}, which does not answer`);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/** The engine of another process, if one answers. */
export async function findEngine(dataDir: string): Promise<ReachedEngine | undefined> {
  if (!ensureOwnDirectory(dataDir) || !existsSync(join(dataDir, SOCKET))) return undefined;
  // What speaks HTTP is loaded only where there is somebody to speak to.
  const { connectEngine } = await import("./other-engine.ts");
  return connectEngine(dataDir);
}

/** Whether an engine answers in the directory. */
export async function isEngineThere(dataDir: string): Promise<boolean> {
  const found = await findEngine(dataDir);
  await found?.close();
  return found !== undefined;
}

export function isInUse(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === DATA_DIRECTORY_IN_USE;
}
