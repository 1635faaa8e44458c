/** "tally kubeconfig" as it is called: its flags and their help. */
import type { Command } from "commander";
import type { KubeconfigFlags } from "./kubeconfig.ts";
import type { Machine } from "./machine.ts";

export function addKubeconfig(program: Command, machine: Machine): void {
  program
    .command("kubeconfig")
    .summary("Let somebody else use the server: a kubeconfig with a certificate.")
    .description(
      "Print a kubeconfig with a new client certificate, by which the server knows a user and " +
        "the groups he is in. What he may do is said by roles and bindings.",
    )
    .argument("<user>", "Name of the user.")
    .option("--group <group>", "A group he is in; may be repeated.", collected, [])
    .option("--days <n>", "How long the certificate is good.", "365")
    .option("--data <dir>", "Data directory of the server (default: as for tally up).")
    .addHelpText(
      "after",
      "\nExample:\n  tally kubeconfig alice --group devs > alice.kubeconfig\n" +
        "  kubectl create rolebinding devs --clusterrole=edit --group=devs",
    )
    .action(async (user: string, flags: KubeconfigFlags) => {
      const { kubeconfig } = await import("./kubeconfig.ts");
      await kubeconfig(user, flags, machine);
    });
}

function collected(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
