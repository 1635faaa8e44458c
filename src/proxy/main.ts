/** Runs the forwarder in a thread: plans arrive as messages, problems are sent back. */
import { parentPort, workerData } from "node:worker_threads";
import { cidrContains, parseAddress, parseCidr } from "../base/address.ts";
import { Forwarder } from "./forwarder.ts";
import type { Frontend } from "./plan.ts";

/** The data passed to the thread at start. */
export interface ThreadData {
  /** The address ranges of clients that may connect to Services. */
  readonly allowed: readonly string[];
}

export type ThreadMessage =
  | { readonly kind: "applied"; readonly round: number }
  | { readonly kind: "problem"; readonly frontend: Frontend; readonly problem: string };

const ranges = (workerData as ThreadData).allowed.flatMap((text) => parseCidr(text) ?? []);

const forwarder = new Forwarder({
  mayConnect: (text) => {
    const address = parseAddress(text.replace(/^::ffff:/, ""));
    return address !== undefined && ranges.some((range) => cidrContains(range, address));
  },
  onProblem: (frontend, { message: problem }) => tell({ kind: "problem", frontend, problem }),
});

function tell(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}

let last: Promise<void> = Promise.resolve();
parentPort?.on("message", ({ round, plan }: { round: number; plan: readonly Frontend[] }) => {
  last = last.then(() => forwarder.apply(plan)).then(() => tell({ kind: "applied", round }));
});
