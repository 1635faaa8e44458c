/** A keyed worker for tests. */
import { silentLog } from "../../src/base/log.ts";
import { ManualClock } from "../../src/base/manual-clock.ts";
import {
  KeyedWorker,
  type KeyedWorkerOptions,
} from "../../src/controllers/runtime/keyed-worker.ts";
import type { Outcome } from "../../src/controllers/runtime/outcome.ts";

type End = Error | Outcome | undefined;

/** A worker whose reconciles finish when the test calls `finish`. */
export function aWorker(options: Partial<KeyedWorkerOptions> = {}) {
  const clock = new ManualClock();
  const started: string[] = [];
  const running: { readonly key: string; readonly end: (how: End) => void }[] = [];
  const worker = new KeyedWorker({
    clock,
    log: silentLog,
    reconcile: (key) => {
      started.push(key);
      return new Promise<Outcome | undefined>((resolve, reject) => {
        running.push({ key, end: (how) => (how instanceof Error ? reject(how) : resolve(how)) });
      });
    },
    ...options,
  });
  /** Finishes the longest-running reconcile, or the n-th. */
  const finish = async (how?: End, index = 0): Promise<void> => {
    const [ended] = running.splice(index, 1);
    ended?.end(how);
    await settled();
  };
  return { clock, worker, started, running, finish };
}

/** Resolves when all promises that depend on nothing else have settled. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));
