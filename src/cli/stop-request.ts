/** Listens for SIGINT and SIGTERM: the first asks to stop in order, the second does not wait. */
import { constants } from "node:os";
import type { Log } from "../base/log.ts";
import type { Machine } from "../command/machine.ts";

export interface StopRequest {
  /** Settles at the first signal. */
  readonly requested: Promise<void>;
  close(): void;
}

export function stopRequest(machine: Machine, log: Log): StopRequest {
  let close = () => {};
  const requested = new Promise<void>((resolve) => {
    let isStopping = false;
    close = machine.onSignal((signal) => {
      // What a shell reports for a process that a signal ended.
      if (isStopping) machine.exit(128 + constants.signals[signal]);
      isStopping = true;
      log.info("stopping", { signal });
      resolve();
    });
  });
  return { requested, close };
}
