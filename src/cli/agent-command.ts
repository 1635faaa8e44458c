/** "tally agent" as it is called: its flags and their help. */
import type { Command } from "commander";
import type { Machine } from "../command/machine.ts";
import { AGENT_DEFAULTS, type AgentFlags } from "./agent-flags.ts";
import { addNodeOptions } from "./node-options.ts";

export function addAgent(program: Command, machine: Machine): void {
  const command = program
    .command("agent")
    .summary("Make this machine a node of an API server that runs elsewhere.")
    .description(
      "Make this machine a node of an API server that is already there: of another tally up, or " +
        "of any Kubernetes. Pods that are bound to the node run as processes of this machine.\n\n" +
        "One line on stdout says when the node is ready; logs go to stderr. Ctrl-C stops it. " +
        "Running pods keep running, and the next start adopts them; tally down ends them.",
    )
    .option("--kubeconfig <file>", KUBECONFIG_HELP)
    .option("--context <name>", "Context of the kubeconfig to use.")
    .option("--data <dir>", DATA_HELP)
    .option("--address <ip>", ADDRESS_HELP, AGENT_DEFAULTS.address)
    .option("--port <port>", PORT_HELP, AGENT_DEFAULTS.port)
    .option("--client-ca-file <file>", CLIENT_CA_HELP);
  addNodeOptions(command, AGENT_DEFAULTS)
    .option("--log-level <level>", "debug, info, warn or error.", AGENT_DEFAULTS.logLevel)
    .addHelpText("after", "\nExample:\n  tally agent --kubeconfig config --node-name worker-1")
    .action(async (flags: AgentFlags) => {
      const { agent } = await import("./agent.ts");
      await agent(flags, machine);
    });
}

const KUBECONFIG_HELP =
  "Which server (default: $KUBECONFIG, that of tally up on this machine, ~/.kube/config).";
const DATA_HELP =
  "Where logs and what runs are noted (default: agents/NODE in the data directory of tally up).";
const ADDRESS_HELP = "Address of the node, where its server reaches it.";
const PORT_HELP = "Port where the server asks for logs and commands; 0 takes any free one.";
const CLIENT_CA_HELP =
  "Authority of the certificate that the server shows (default: that of the kubeconfig).";
