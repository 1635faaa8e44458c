/** The flags that choose a cluster. By default runs are on this machine. */
import type { Command } from "commander";

export function addPlaceOptions(command: Command): Command {
  return command
    .option("--context <name>", "Of the cluster of this context of the kubeconfig.")
    .option("--kubeconfig <file>", "Of the cluster of this kubeconfig.");
}
