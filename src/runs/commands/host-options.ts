/** The flags that name a cluster for commands about runs, which are of this machine otherwise. */
import type { Command } from "commander";

export function addPlaceOptions(command: Command): Command {
  return command
    .option("--context <name>", "Of the cluster of this context of the kubeconfig.")
    .option("--kubeconfig <file>", "Of the cluster of this kubeconfig.");
}
