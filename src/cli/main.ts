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
import { UsageError } from "../base/usage-error.ts";
import { CommandFailure } from "../command/command-failure.ts";
import type { Invocation } from "../command/invocation.ts";
import { type Machine, thisMachine } from "../command/machine.ts";
import type { VersionFlags } from "./version.ts";

export async function runCommandLine(
  argv: readonly string[],
  machine: Machine = thisMachine(),
): Promise<number> {
  try {
    const { own, words } = splitWords(argv);
    const invocation: Invocation = { machine, words, exitCode: 0 };
    const program = await tallyCommand(invocation, argv[0]);
    await program.parseAsync(withPlainSwitches(program, own), { from: "user" });
    return invocation.exitCode;
  } catch (error) {
    // Help that was asked for ends the same way as a mistake does; commander has said its part.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof CommandFailure || error instanceof ApiError) {
      const { errorText } = await import("../command/error-text.ts");
      machine.writeError(`${errorText(error)}\n`);
      return error instanceof CommandFailure ? error.exitCode : 1;
    }
    machine.writeError(`tally ${argv[0]}: ${describeError(error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** What follows "--" of a run is the command it is to run: nothing of it is ours to read. */
function splitWords(argv: readonly string[]): {
  readonly own: readonly string[];
  readonly words: readonly string[];
} {
  const at = argv[0] === "run" ? argv.indexOf("--") : -1;
  return at < 0 ? { own: argv, words: [] } : { own: argv.slice(0, at), words: argv.slice(at + 1) };
}

async function tallyCommand(invocation: Invocation, called: string | undefined): Promise<Command> {
  const { machine } = invocation;
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
  // Whoever calls one command does not pay for the flags of all others.
  const chosen = GROUPS.filter(({ names }) => called !== undefined && names.includes(called));
  for (const { add } of chosen.length > 0 ? chosen : GROUPS) await add(program, invocation);
  return program;
}

interface CommandGroup {
  readonly names: readonly string[];
  readonly add: (program: Command, invocation: Invocation) => Promise<void>;
}

/** In the order in which help shows them. */
const GROUPS: readonly CommandGroup[] = [
  {
    names: ["run", "scale", "pause", "resume"],
    add: async (program, invocation) => {
      const { addRunCommands } = await import("../runs/commands/run-commands.ts");
      addRunCommands(program, invocation);
    },
  },
  {
    names: ["status", "list", "retry", "results", "report", "prune"],
    add: async (program, invocation) => {
      const { addInspectCommands } = await import("../runs/commands/inspect-commands.ts");
      addInspectCommands(program, invocation);
    },
  },
  {
    names: ["create-workflow"],
    add: async (program, invocation) => {
      const { addCreateWorkflow } = await import("../runs/commands/workflow-command.ts");
      addCreateWorkflow(program, invocation);
    },
  },
  {
    names: ["up"],
    add: async (program, { machine }) => {
      const { addUp } = await import("./up-command.ts");
      addUp(program, machine);
    },
  },
  {
    names: ["down"],
    add: async (program, { machine }) => {
      const { addDown } = await import("./down-command.ts");
      addDown(program, machine);
    },
  },
  {
    names: ["kubeconfig"],
    add: async (program, { machine }) => {
      const { addKubeconfig } = await import("./kubeconfig-command.ts");
      addKubeconfig(program, machine);
    },
  },
  {
    names: ["agent"],
    add: async (program, { machine }) => {
      const { addAgent } = await import("./agent-command.ts");
      addAgent(program, machine);
    },
  },
  {
    names: ["controller"],
    add: async (program, { machine }) => {
      const { addController } = await import("./controller-command.ts");
      addController(program, machine);
    },
  },
  {
    names: ["install", "uninstall"],
    add: async (program, { machine }) => {
      const { addInstall } = await import("./install-command.ts");
      addInstall(program, machine);
    },
  },
  {
    names: ["apply", "get", "describe", "logs", "wait", "delete"],
    add: async (program, invocation) => {
      const { addClusterCommands } = await import("./cluster-commands.ts");
      addClusterCommands(program, invocation);
    },
  },
  {
    names: ["version"],
    add: async (program, { machine }) => addVersion(program, machine),
  },
  {
    // It has to know all the others.
    names: [],
    add: async (program, { machine }) => {
      const { addCompletion } = await import("./completion.ts");
      addCompletion(program, machine);
    },
  },
];

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
