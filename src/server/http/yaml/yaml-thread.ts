/** A thread that reads YAML, as its owner sees it. */
import { Worker } from "node:worker_threads";
import { packageFile } from "../../../base/package-file.ts";
import type { YamlOutcome } from "./read-yaml-text.ts";
import type { YamlThread } from "./yaml-reader.ts";

/** Ten times what the largest text takes. */
const MEMORY_MIB = 512;

/** The file is the bundle of main.ts; absent: the one that comes with the package. */
export function startYamlThread(file = packageFile("dist", "yaml.js")): YamlThread {
  const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB } });
  // A server that is otherwise through does not stay for it.
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
