/**
 * The command line: argv in, exit code out. One file per command: up.ts, whose flags are read in
 * up-flags.ts, version.ts, and the commands of cluster-commands.ts, which ask a server for what
 * they do. A command is loaded when it is called, so that "tally version" does not pay for a
 * server. Nothing in this folder knows the store or the kinds.
 *
 *   0         done, or asked to stop and stopped
 *   1         could not start, or could not go on; the server refused
 *   2         called wrongly
 *   3         "tally wait --for finished": a Job has failed
 *   130, 143  a second SIGINT or SIGTERM did not wait for the stop
 */
import { Command, CommanderError } from "commander";
import { ApiError } from "../api/errors.ts";
import { describeError } from "../base/describe-error.ts";
import { addClusterCommands } from "./cluster-commands.ts";
import { CommandFailure } from "./command-failure.ts";
import { type Machine, thisMachine } from "./machine.ts";
import { UP_DEFAULTS, type UpFlags } from "./up-flags.ts";
import { UsageError } from "./usage-error.ts";
import type { VersionFlags } from "./version.ts";

export async function runCommandLine(
  argv: readonly string[],
  machine: Machine = thisMachine(),
): Promise<number> {
  try {
    const program = tallyCommand(machine);
    await program.parseAsync(withPlainSwitches(program, argv), { from: "user" });
    return 0;
  } catch (error) {
    // Help that was asked for ends the same way as a mistake does; commander has said its part.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof CommandFailure || error instanceof ApiError) {
      const { errorText } = await import("./output/error-text.ts");
      const text = errorText(error);
      if (text !== "") machine.writeError(`${text}\n`);
      return error instanceof CommandFailure ? error.exitCode : 1;
    }
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
      "\nExample:\n  tally up                   and then, in another terminal:\n" +
        "  tally apply -f job.yaml    or, with the KUBECONFIG it names, kubectl",
    );
  addUp(program, machine);
  addClusterCommands(program, machine);
  addVersion(program, machine);
  return program;
}

/** A switch may be given as kubectl takes it, too: "--watch=true". */
function withPlainSwitches(program: Command, argv: readonly string[]): readonly string[] {
  const command = program.commands.find((each) => each.name() === argv[0]);
  return argv.flatMap((arg) => {
    const [, long, value] = /^(--[a-z-]+)=(true|false)$/.exec(arg) ?? [];
    const option = command?.options.find((each) => each.long === long);
    if (long === undefined || !option?.isBoolean()) return [arg];
    if (value === "true") return [long];
    const opposite = `--no-${long.slice(2)}`;
    return command?.options.some((each) => each.long === opposite) ? [opposite] : [];
  });
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
    .option("--node-name <name>", "Name of the node (default: that of this machine).")
    .option("--max-pods <n>", "Pods the node takes at once.", UP_DEFAULTS.maxPods)
    .option("--on-exit <what>", ON_EXIT_HELP, UP_DEFAULTS.onExit)
    .option("--strict-limits", "Refuse pods with limits that cannot be enforced.")
    .option("--log-max-bytes <amount>", LOG_MAX_HELP, UP_DEFAULTS.logMaxBytes)
    .option("--controllers <list>", CONTROLLERS_HELP, UP_DEFAULTS.controllers)
    .option(
      "--service-cluster-ip-range <cidr>",
      "Range that Services get their addresses from.",
      UP_DEFAULTS.serviceClusterIpRange,
    )
    .option("--feature-gates <list>", FEATURE_GATES_HELP, joined)
    .option("--job-backoff-base <time>", BASE_HELP, UP_DEFAULTS.jobBackoffBase)
    .option("--job-backoff-cap <time>", "The longest of these waits.", UP_DEFAULTS.jobBackoffCap)
    .option("--job-batch <time>", BATCH_HELP, UP_DEFAULTS.jobBatch)
    .option("--concurrent-job-syncs <n>", "Jobs at once.", UP_DEFAULTS.concurrentJobSyncs)
    .option("--job-pods-per-sync <n>", PODS_PER_SYNC_HELP, UP_DEFAULTS.jobPodsPerSync)
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
const ON_EXIT_HELP = "What becomes of running pods: terminate or leave.";
const LOG_MAX_HELP = "Most that is kept of the output of one run; 0 for all of it.";
const FEATURE_GATES_HELP =
  'Kubernetes features to switch, as "A=true,B=false"; may be repeated (default: all on).';
const BASE_HELP = "Wait of a Job after its first failure; it doubles with each further one.";
const BATCH_HELP = "The longest that events of a busy Job are gathered before it is looked at.";
const PODS_PER_SYNC_HELP = "Pods created or removed before other Jobs have their turn.";
const CONTROLLERS_HELP = 'Controllers to run: "all", "none" or names separated by commas.';

/** A flag that is repeated says one list. */
function joined(value: string, before: string | undefined): string {
  return before === undefined ? value : `${before},${value}`;
}

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
