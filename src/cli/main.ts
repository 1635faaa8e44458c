/**
 * The command line: argv in, exit code out. One file per command: up.ts, whose flags are read in
 * up-flags.ts, and version.ts. A command is loaded when it is called, so that "tally version" does
 * not pay for a server. Nothing in this folder knows the store, the kinds or HTTP.
 *
 *   0         done, or asked to stop and stopped
 *   1         could not start, or could not go on
 *   2         called wrongly
 *   130, 143  a second SIGINT or SIGTERM did not wait for the stop
 */
import { Command, CommanderError } from "commander";
import { describeError } from "../base/describe-error.ts";
import { type Machine, thisMachine } from "./machine.ts";
import { UP_DEFAULTS, type UpFlags } from "./up-flags.ts";
import { UsageError } from "./usage-error.ts";
import type { VersionFlags } from "./version.ts";

export async function runCommandLine(
  argv: readonly string[],
  machine: Machine = thisMachine(),
): Promise<number> {
  try {
    await tallyCommand(machine).parseAsync(argv, { from: "user" });
    return 0;
  } catch (error) {
    // Help that was asked for ends the same way as a mistake does; commander has said its part.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    machine.writeError(`tally ${argv[0]}: ${describeError(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function tallyCommand(machine: Machine): Command {
  const program = new Command("tally")
    .description("Kubernetes Indexed Jobs for one machine and for any cluster.")
    .exitOverride()
    .configureOutput({
      writeOut: machine.writeOut,
      writeErr: machine.writeError,
      outputError: (text, write) => write(text.replace(/^error: /, "tally: ")),
    })
    .helpOption("-h, --help", "Show this text.")
    .helpCommand("help [command]", "Show what a command does, its flags and an example.")
    .addHelpText(
      "after",
      "\nExample:\n  tally up        and then, with the KUBECONFIG it names:\n  kubectl get namespaces",
    );
  addUp(program, machine);
  addVersion(program, machine);
  return program;
}

function addUp(program: Command, machine: Machine): void {
  program
    .command("up")
    .summary("Run the API server until it is told to stop.")
    .description(
      "Run a Kubernetes API server on this machine, in the foreground.\n\n" +
        "One line on stdout says when it is ready; logs go to stderr. Ctrl-C stops it. What " +
        "was stored is there again at the next start.",
    )
    .option("--data <dir>", DATA_HELP)
    .option("--address <ip>", "Address to listen on.", UP_DEFAULTS.address)
    .option("--port <port>", "Port for HTTPS; 0 takes any free one.", UP_DEFAULTS.port)
    .option(
      "--kubeconfig <file>",
      "Where to write the kubeconfig (default: in the data directory).",
    )
    .option("--merge-kubeconfig", MERGE_HELP)
    .option("--insecure-port <port>", INSECURE_HELP)
    .option("--no-agent", "Do not make this machine a node that runs pods.")
    .option("--controllers <list>", CONTROLLERS_HELP, UP_DEFAULTS.controllers)
    .option(
      "--service-cluster-ip-range <cidr>",
      "Range that Services get their addresses from.",
      UP_DEFAULTS.serviceClusterIpRange,
    )
    .option("--log-level <level>", "debug, info, warn or error.", UP_DEFAULTS.logLevel)
    .addHelpText(
      "after",
      "\nExample, a server of its own for a test run:\n  tally up --data /tmp/run1 --port 0",
    )
    .action(async (flags: UpFlags) => {
      const { up } = await import("./up.ts");
      await up(flags, machine);
    });
}

const DATA_HELP =
  "Where everything is stored (default: $XDG_STATE_HOME/tally or ~/.local/state/tally).";
const MERGE_HELP = "Also add the server to your own kubeconfig and make it the current context.";
const INSECURE_HELP =
  "Also serve plain HTTP on 127.0.0.1, where every local program is administrator.";
const CONTROLLERS_HELP = 'Controllers to run: "all", "none" or names separated by commas.';

function addVersion(program: Command, machine: Machine): void {
  program
    .command("version")
    .summary("Show the version of Tally and of the Kubernetes API it serves.")
    .description("Show the version of Tally and of the Kubernetes API it serves.")
    .option("-o, --output <format>", "text or json.", "text")
    .addHelpText("after", "\nExample:\n  tally version --output json")
    .action(async (flags: VersionFlags) => {
      const { version } = await import("./version.ts");
      await version(flags, machine);
    });
}
