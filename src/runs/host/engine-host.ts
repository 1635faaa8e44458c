/**
 * The runs of a data directory, through its engine: that of another process, over its socket, or
 * one in this process. There is no daemon: the first `tally run` hosts the engine for all others.
 * When it ends or dies, the next client that notices starts one. Processes of items outlive both.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Job } from "../../api/generated/batch.ts";
import { jobs } from "../../api/resources.ts";
import type { Items } from "../../api/work-list/items.ts";
import { describeError } from "../../base/describe-error.ts";
import { ensureOwnDirectory } from "../../base/own-directory.ts";
import { findObject } from "../../client/find.ts";
import { type CoreEngine, DATA_DIRECTORY_IN_USE, SOCKET } from "../../engine-options.ts";
import { readItems } from "../list/stored-items.ts";
import { fileLogs } from "../show/file-logs.ts";
import type { Engine } from "./other-engine.ts";
import type { EngineHost } from "./run-host.ts";

export interface EngineHostOptions {
  readonly dataDir: string;
  readonly namespace: string;
  /** Starts an engine here; rejects with DATA_DIRECTORY_IN_USE if another process was faster. */
  readonly start: () => Promise<CoreEngine>;
  /** Whether an engine started here runs items; otherwise it only stores what is written. */
  readonly runsItems: boolean;
  /** Called when the host is closed. */
  readonly onClose?: () => void;
}

export async function openEngineHost(options: EngineHostOptions): Promise<EngineHost> {
  return new DirectoryHost(options, await reachEngine(options));
}

interface ReachedEngine extends Engine {
  readonly isOwn: boolean;
}

class DirectoryHost implements EngineHost {
  readonly dataDir: string;
  readonly namespace: string;
  readonly logs: EngineHost["logs"];

  constructor(
    private readonly options: EngineHostOptions,
    private engine: ReachedEngine,
  ) {
    this.dataDir = options.dataDir;
    this.namespace = options.namespace;
    this.logs = fileLogs(options.dataDir);
  }

  get kind() {
    return this.engine.isOwn ? "own engine" : "other process";
  }

  get client() {
    return this.engine.client;
  }

  get ledger() {
    return this.engine.ledger;
  }

  get started() {
    return this.engine.started;
  }

  async clientOf() {
    return this.engine.client;
  }

  findRun(name: string): Promise<Job | undefined> {
    return findObject(this.client, jobs, { namespace: this.namespace, name });
  }

  async listRuns(): Promise<readonly Job[]> {
    return (await this.client.list(jobs, { namespace: this.namespace })).items;
  }

  items(job: Job): Promise<Items> {
    return readItems(this.client, job);
  }

  async isLive(): Promise<boolean> {
    return !this.engine.isOwn || this.options.runsItems;
  }

  async remarks(): Promise<readonly string[]> {
    return [];
  }

  async reconnect(): Promise<void> {
    await this.engine.close();
    this.engine = await reachEngine(this.options);
  }

  async close(): Promise<void> {
    try {
      await this.engine.close();
    } finally {
      this.options.onClose?.();
    }
  }
}

/** A server that is starting locks its directory before it answers. */
const LONGEST_WAIT_MS = 30_000;
const AGAIN_MS = 20;

async function reachEngine({ dataDir, start }: EngineHostOptions): Promise<ReachedEngine> {
  const untilMs = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const found = await findEngine(dataDir);
    if (found) return { ...found, isOwn: false };
    try {
      const engine = await start();
      const { client, ledger, begun: started } = engine;
      return {
        client,
        ledger,
        started,
        isOwn: true,
        close: async () => void (await engine.stop()),
      };
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
export async function findEngine(dataDir: string): Promise<Engine | undefined> {
  if (!ensureOwnDirectory(dataDir) || !existsSync(join(dataDir, SOCKET))) return undefined;
  // The HTTP client is loaded only if there is an engine to connect to.
  const { connectEngine } = await import("./other-engine.ts");
  return connectEngine(dataDir);
}

/** Whether an engine answers in the directory. */
export async function isEngineThere(dataDir: string): Promise<boolean> {
  const found = await findEngine(dataDir);
  await found?.close();
  return found !== undefined;
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === DATA_DIRECTORY_IN_USE;
}
