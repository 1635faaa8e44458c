/**
 * The arguments and flags of the commands that run something. Each command is in the file of its
 * name, which is loaded when it is called.
 */
import type { Command } from "commander";
import type { Invocation } from "../../command/invocation.ts";
import type { RunCommandFlags } from "../compose/run-flags.ts";
import { addRunOptions, runNameOf } from "../compose/run-flags.ts";
import type { HostFlags } from "../host/run-host.ts";
import type { ReportFlags } from "../show/open-reporter.ts";
import { addPlaceOptions } from "./host-options.ts";
import type { ScaleFlags } from "./scale.ts";
import { workflowNameOf } from "./workflow-command.ts";

export function addRunCommands(program: Command, invocation: Invocation): void {
  addRun(program, invocation);
  addScale(program, invocation);
  addPause(program, invocation);
  addResume(program, invocation);
}

function addRun(program: Command, invocation: Invocation): void {
  const { machine, words } = invocation;
  const command = program
    .command("run")
    .summary("Run a command over a list, in parallel, and see it through.")
    .description(RUN_HELP)
    .usage("[NAME] [flags] -- COMMAND [ARGS...] [::: ITEMS...]")
    .argument("[words...]", "NAME, then -- and the command.")
    .option("-q, --quiet", "Show what tasks print and what failed, and nothing else.");
  addRunOptions(command)
    .addHelpText("after", RUN_EXAMPLES)
    .action(async (operands: string[], flags: RunCommandFlags) => {
      const { run } = await import("../run.ts");
      const name = runNameOf(operands);
      const given = { ...(name === undefined ? {} : { name }), words };
      invocation.exitCode = await run(given, flags, machine);
    });
}

function addScale(program: Command, invocation: Invocation): void {
  const { machine } = invocation;
  placedCommand(program, "scale")
    .summary("Change how many items of a run are worked on at a time.")
    .description("Change how many items of a run are worked on at a time. What runs, finishes.")
    .argument("<name>", "The run.")
    .requiredOption("-j, --jobs <n>", "At once: a number, a share of the cores as 200%, 0 for all.")
    .addHelpText("after", "\nExample:\n  tally scale thumbs -j 8")
    .action(async (name: string, flags: ScaleFlags) => {
      const { scale } = await import("./scale.ts");
      await scale(name, flags, machine);
    });
}

function addPause(program: Command, invocation: Invocation): void {
  const { machine } = invocation;
  placedCommand(program, "pause")
    .summary("Start no more items of a run until it is resumed.")
    .description("Start no more items of a run until it is resumed. What runs, finishes.")
    .argument("<name>", "The run.")
    .addHelpText("after", "\nExample:\n  tally pause thumbs")
    .action(async (name: string, flags: HostFlags) => {
      const workflow = workflowNameOf(name);
      if (workflow !== undefined) {
        const { pauseWorkflow } = await import("./workflow.ts");
        invocation.exitCode = await pauseWorkflow(workflow, flags, machine);
        return;
      }
      const { pause } = await import("./pause.ts");
      await pause(name, flags, machine);
    });
}

function addResume(program: Command, invocation: Invocation): void {
  const { machine } = invocation;
  placedCommand(program, "resume")
    .summary("Go on with a run that was paused, stopped or killed.")
    .description(RESUME_HELP)
    .argument("<name>", "The run.")
    .option("-j, --jobs <n>", "At once, if not as before.")
    .option("-k, --keep-order", "Show output in the order of the list.")
    .option("-o, --output <format>", "json for events.")
    .option("-q, --quiet", "Show what tasks print and what failed, and nothing else.")
    .addHelpText("after", "\nExample:\n  tally resume thumbs")
    .action(async (name: string, flags: ReportFlags & { readonly jobs?: string }) => {
      const workflow = workflowNameOf(name);
      if (workflow !== undefined) {
        const { resumeWorkflow } = await import("./workflow.ts");
        invocation.exitCode = await resumeWorkflow(workflow, flags, machine);
        return;
      }
      const { resume } = await import("./resume.ts");
      invocation.exitCode = await resume(name, flags, machine);
    });
}

/** A command that works on a data directory or a cluster. */
function placedCommand(program: Command, name: string): Command {
  const command = program
    .command(name)
    .option("--data <dir>", DATA_HELP)
    .option("-n, --namespace <name>", "Of a cluster: the namespace of the run.");
  return addPlaceOptions(command);
}

const DATA_HELP = "Where runs are stored (default: .tally).";

const RUN_HELP =
  "Run a command once for each item of a list, some at a time. Failures are tried again, every " +
  "attempt is on record, and a run that was stopped or killed goes on where it was.\n\n" +
  "Exit codes: 0 every item succeeded; 1 some failed; 2 called wrongly; 125 it could not be " +
  "carried out; 130 stopped by Ctrl-C, and can be resumed; 141 nobody reads the output.";
const RUN_EXAMPLES = `
Examples:
  tally run thumbs -a files.txt -- convert {} -resize 200 thumbs/{}
  tally run -j 8 -- gzip -9 {} ::: *.log
  tally run grid -- ./simulate --seed {1} --size {2} ::: 1 2 3 ::: small large
  tally run report --csv customers.csv -- ./report.sh {NAME} {CITY}
  tally run -f job.yaml`;
const RESUME_HELP =
  "Go on with a run that was paused, stopped by Ctrl-C or killed, here in the foreground; if " +
  "another tally run has it in hand, only tell that one to go on.";
