/** A thread that parses YAML, seen from the main thread. */
import { Worker } from "node:worker_threads";
import { packageFile } from "../../../base/package-file.ts";
import type { YamlOutcome } from "./read-yaml-text.ts";
import type { YamlThread } from "./yaml-reader.ts";

/** Ten times what the largest text needs. */
const MEMORY_MIB = 512;

/** `file` is the bundle of main.ts; by default the one in the package. */
export function startYamlThread(file = packageFile("dist", "yaml.js")): YamlThread {
  const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB } });
  // The thread must not keep the process alive.
  worker.unref();
  let settle: ((outcome: YamlOutcome) => void) | undefined;
  let fail: ((error: unknown) => void) | undefined;
  worker.on("message", (outcome: YamlOutcome) => settle?.(outcome));
  worker.on("error", (error) => fail?.(error));
  worker.on("exit", () => fail?.(new Error("the thread that reads YAML has ended")));
  return {
    read: (order) =>
      new Promise((resolve, reject) => {
        settle = resolve;
        fail = reject;
        worker.postMessage(order);
      }),
    close: () => void worker.terminate(),
  };
}
