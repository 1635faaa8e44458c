/** The interface of the server to the thread of the forwarder. */
import { Worker } from "node:worker_threads";
import type { Log } from "../base/log.ts";
import { packageFile } from "../base/package-file.ts";
import type { ThreadData, ThreadMessage } from "./main.ts";
import type { Frontend } from "./plan.ts";

export interface ProxyThread {
  /** Resolves when all available addresses are listened on. */
  apply(plan: readonly Frontend[]): Promise<void>;
  close(): Promise<void>;
}

export interface ProxyThreadOptions extends ThreadData {
  readonly log: Log;
  /** The bundle of main.ts; by default the one in the package. */
  readonly file?: string;
}

const MOST_TOLD = 1000;

export function startProxyThread(options: ProxyThreadOptions): ProxyThread {
  const { log, allowed, file = packageFile("dist", "forwarder.js") } = options;
  const workerData: ThreadData = { allowed };
  const worker = new Worker(file, { workerData, resourceLimits: { maxYoungGenerationSizeMb: 4 } });
  // The thread does not keep the process alive.
  worker.unref();
  const told = new Set<string>();
  const waiting = new Map<number, () => void>();
  let round = 0;
  worker.on("message", (message: ThreadMessage) => {
    if (message.kind === "applied") {
      waiting.get(message.round)?.();
      waiting.delete(message.round);
      return;
    }
    const { name, address, port } = message.frontend;
    const key = `${name} ${address} ${port} ${message.problem}`;
    if (told.has(key)) return;
    // Services come and go: a few lines too many are better than a set that only grows.
    if (told.size >= MOST_TOLD) told.clear();
    told.add(key);
    log.warn("a Service cannot be reached by its address", {
      service: name,
      address,
      port,
      problem: message.problem,
    });
  });
  worker.on("error", (error) => {
    log.error("Services cannot be reached by their addresses any more", { error });
    for (const settle of waiting.values()) settle();
    waiting.clear();
  });
  return {
    apply: (plan) =>
      new Promise<void>((resolve) => {
        round++;
        waiting.set(round, resolve);
        worker.postMessage({ round, plan });
      }),
    close: async () => {
      await worker.terminate();
    },
  };
}
