/** Pure: what a container is asked to end with. */
import type { Pod } from "../../api/generated/core.ts";
import { findContainer } from "../find-container.ts";
import type { StopSignal } from "../runtimes/runtime.ts";

const SIGNALS: readonly StopSignal[] = ["TERM", "KILL", "INT", "QUIT", "HUP", "USR1", "USR2"];

export function stopSignalOf(pod: Pod, name: string): StopSignal {
  const asked = findContainer(pod, name)?.lifecycle?.stopSignal?.replace(/^SIG/, "");
  return SIGNALS.find((signal) => signal === asked) ?? "TERM";
}
