/** "tally completion": a script that teaches a shell the commands, flags and runs of tally. */
import type { Command } from "commander";
import { UsageError } from "../base/usage-error.ts";
import type { Machine } from "../command/machine.ts";
import { type CompletedCommand, completionScript, SHELLS } from "./completion-scripts.ts";

export function addCompletion(program: Command, machine: Machine): void {
  program
    .command("completion")
    .summary("Print a script that completes commands in a shell.")
    .description(
      "Print a script that completes commands, flags and the names of runs in a shell.\n\n" +
        "It is for this shell only, unless it is read where the shell starts.",
    )
    .argument("<shell>", "bash, zsh or fish.")
    .addHelpText("after", `\nExamples:\n  ${EXAMPLES.join("\n  ")}`)
    .action((given: string) => {
      const shell = SHELLS.find((each) => each === given);
      if (!shell) {
        throw new UsageError(`the shell must be bash, zsh or fish, not ${JSON.stringify(given)}`);
      }
      machine.writeOut(completionScript(shell, program.commands.map(completed)));
    });
}

const EXAMPLES = [
  "source <(tally completion bash)",
  "tally completion zsh > ~/.zfunc/_tally",
  "tally completion fish > ~/.config/fish/completions/tally.fish",
];

const OF_RUNS = [
  "status",
  "logs",
  "retry",
  "wait",
  "results",
  "report",
  "delete",
  "scale",
  "pause",
  "resume",
];

function completed(command: Command): CompletedCommand {
  const name = command.name();
  return {
    name,
    summary: command.summary(),
    flags: command.options.flatMap(({ long, short, description }) =>
      long ? [{ long, short, description }] : [],
    ),
    takesRun: OF_RUNS.includes(name),
  };
}
