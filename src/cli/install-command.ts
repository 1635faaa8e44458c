/** "tally install" and "tally uninstall" as they are called: their flags and their help. */
import type { Command } from "commander";
import type { Machine } from "../command/machine.ts";
import type { InstallFlags, UninstallFlags } from "./install.ts";

export function addInstall(program: Command, machine: Machine): void {
  onCluster(program, "install", "Put Tally's kinds and its controllers on a cluster.")
    .option("--image <image>", "The image of the controller, built with Tally's Dockerfile.")
    .option("--replicas <n>", "How many controllers: one leads, the others wait.", "2")
    .option("--no-deployment", "Only kinds and rights: the controller runs elsewhere.")
    .option("--allow-secrets", "Let the controllers read Secrets, for work lists in them.")
    .option("--dry-run", "Print the manifests and change nothing.")
    .addHelpText(
      "after",
      "\nExample:\n  tally install --context staging --image registry.example.com/tallyjob:0.1.0",
    )
    .action(async (flags: InstallFlags) => {
      const { install } = await import("./install.ts");
      await install(flags, machine);
    });
  onCluster(program, "uninstall", "Take Tally's controllers off a cluster.")
    .option("--crds", "And its kinds, with all ScheduledJobs, Workflows and JobTemplates.")
    .option("--dry-run", "Only say what would be deleted.")
    .addHelpText("after", "\nExample:\n  tally uninstall --context staging")
    .action(async (flags: UninstallFlags) => {
      const { uninstall } = await import("./install.ts");
      await uninstall(flags, machine);
    });
}

function onCluster(program: Command, name: string, summary: string): Command {
  return program
    .command(name)
    .summary(summary)
    .description(summary)
    .option("-n, --namespace <name>", "Namespace of the controllers.", "tally-system")
    .option("--watch-namespace <name>", "The controllers look after this namespace alone.")
    .option("--kubeconfig <file>", "Which cluster (default: as for tally get).")
    .option("--context <name>", "Context of the kubeconfig to use.");
}
