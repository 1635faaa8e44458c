/** "tally kubeconfig" as it is called: its flags and their help. */

import type { Command } from "commander";
import { collected } from "../command/flags.ts";
import type { Machine } from "../command/machine.ts";
import type { KubeconfigFlags } from "./kubeconfig.ts";

export function addKubeconfig(program: Command, machine: Machine): void {
  program
    .command("kubeconfig")
    .summary("Let somebody else use the server: a kubeconfig with a certificate.")
    .description(
      "Print a kubeconfig with a new client certificate, by which the server knows a user and " +
        "the groups he is in. What he may do is said by roles and bindings.\n\n" +
        "The server must be --shared, or the user be --trusted to act as the server's own user.",
    )
    .argument("<user>", "Name of the user.")
    .option("--group <group>", "A group he is in; may be repeated.", collected, [])
    .option("--days <n>", "How long the certificate is good.", "365")
    .option("--trusted", TRUSTED_HELP)
    .option("-o, --output <file>", "Write it to a file that only you can read, not to stdout.")
    .option("--data <dir>", "Data directory of the server (default: as for tally up).")
    .addHelpText(
      "after",
      "\nExample:\n  tally kubeconfig alice --group devs -o alice.kubeconfig\n" +
        "  kubectl create rolebinding devs --clusterrole=edit --group=devs",
    )
    .action(async (user: string, flags: KubeconfigFlags) => {
      const { kubeconfig } = await import("./kubeconfig.ts");
      await kubeconfig(user, flags, machine);
    });
}

const TRUSTED_HELP =
  "He may act as the user of the server, as whom his pods run unless the server is --shared.";
