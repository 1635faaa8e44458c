/** "tally down" as it is called: its flags and their help. */
import type { Command } from "commander";
import type { Machine } from "../command/machine.ts";
import type { DownFlags } from "./down.ts";

export function addDown(program: Command, machine: Machine): void {
  program
    .command("down")
    .summary("End the pods that a stopped server left running.")
    .description(
      "End the pods that a stopped server left running on this machine: their processes, " +
        "sandboxes and containers.\n\n" +
        "Each gets up to five seconds to end by itself. Its status is Failed, with the reason " +
        "Terminated and the condition DisruptionTarget, as after a shutdown of its node: a Job " +
        "counts it as failed unless its podFailurePolicy ignores DisruptionTarget. The server " +
        "must not be running. With --data it does the same for a stopped tally agent.",
    )
    .option("--data <dir>", DATA_HELP)
    .option("--kubeconfig <file>", KUBECONFIG_HELP)
    .option("--context <name>", "Context of the kubeconfig to use.")
    .option("--log-level <level>", "debug, info, warn or error.", "warn")
    .addHelpText("after", "\nExample:\n  tally down --data /tmp/run1")
    .action(async (flags: DownFlags) => {
      const { down } = await import("./down.ts");
      await down(flags, machine);
    });
}

const DATA_HELP =
  "Data directory of the server (default: $XDG_STATE_HOME/tally or ~/.local/state/tally).";
const KUBECONFIG_HELP = "Of a stopped tally agent: which server is told (default: as for it).";
