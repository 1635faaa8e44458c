/**
 * The arguments and flags of the commands for existing runs. Each command is in the file of its
 * name, which is loaded when it is called.
 */
import type { Command } from "commander";
import type { Invocation } from "../../command/invocation.ts";
import { type Machine, whileRead } from "../../command/machine.ts";
import { addPlaceOptions } from "./host-options.ts";
import type { ListFlags } from "./list.ts";
import type { PruneFlags } from "./prune.ts";
import type { ReportPageFlags } from "./report.ts";
import type { ResultsFlags } from "./results.ts";
import type { RetryFlags } from "./retry.ts";
import type { StatusFlags } from "./status.ts";
import { workflowNameOf } from "./workflow-command.ts";

export function addInspectCommands(program: Command, invocation: Invocation): void {
  const { machine } = invocation;
  addStatus(program, machine);
  addList(program, machine);
  addRetry(program, invocation);
  addResults(program, machine);
  addReport(program, machine);
  addPrune(program, machine);
}

function addStatus(program: Command, machine: Machine): void {
  placedCommand(program, "status", "Show how a run stands, and what failed.", STATUS_HELP)
    .argument("[name]", "The run (default: those that are not finished, or the last one).")
    .option("-o, --output <format>", "json.")
    .addHelpText("after", "\nExamples:\n  tally status\n  tally status fetch -o json")
    .action(async (name: string | undefined, flags: StatusFlags) => {
      const { status } = await import("./status.ts");
      await whileRead(machine, status(name, flags, machine));
    });
}

function addList(program: Command, machine: Machine): void {
  placedCommand(program, "list", "List the runs of a data directory, or of a cluster.")
    .option("-o, --output <format>", "json or name.")
    .addHelpText("after", "\nExample:\n  tally list")
    .action(async (flags: ListFlags) => {
      const { list } = await import("./list.ts");
      await whileRead(machine, list(flags, machine));
    });
}

function addRetry(program: Command, invocation: Invocation): void {
  const { machine } = invocation;
  placedCommand(program, "retry", "Run items of a run once more.", RETRY_HELP)
    .argument("<name>", "The run.")
    .option("--failed", "Those that failed (default).")
    .option("--index <list>", "These, as 3,7-9.")
    .option("--item <item>", "The item that is called so.")
    .option("-d, --detach", "Leave it to the engine that runs, and do not wait.")
    .option("--keep-order", "Show output in the order of the list.")
    .option("-o, --output <format>", "json for events.")
    .option("-q, --quiet", "Show what tasks print and what failed, and nothing else.")
    .addHelpText("after", `\nExamples:\n  ${RETRY_EXAMPLES.join("\n  ")}`)
    .action(async (name: string, flags: RetryFlags) => {
      const workflow = workflowNameOf(name);
      if (workflow !== undefined) {
        const { retryWorkflow } = await import("./workflow.ts");
        invocation.exitCode = await retryWorkflow(workflow, flags, machine);
        return;
      }
      const { retry } = await import("./retry.ts");
      invocation.exitCode = await retry(name, flags, machine);
    });
}

function addResults(program: Command, machine: Machine): void {
  placedCommand(program, "results", "Print what became of every item.", RESULTS_HELP)
    .argument("<name>", "The run.")
    .option("--format <format>", "csv, json or jsonl (an object per line).", "csv")
    .option("--failed", "Only items that failed.")
    .addHelpText("after", `\nExamples:\n  ${RESULTS_EXAMPLES.join("\n  ")}`)
    .action(async (name: string, flags: ResultsFlags) => {
      const { results } = await import("./results.ts");
      await whileRead(machine, results(name, flags, machine));
    });
}

function addReport(program: Command, machine: Machine): void {
  placedCommand(program, "report", "Write a run as one page of HTML.", REPORT_HELP)
    .argument("<name>", "The run.")
    .option("-o, --output <file>", "Where to write it; - for stdout.", "report.html")
    .addHelpText("after", "\nExample:\n  tally report fetch -o fetch.html")
    .action(async (name: string, flags: ReportPageFlags) => {
      const { report } = await import("./report.ts");
      await whileRead(machine, report(name, flags, machine));
    });
}

function addPrune(program: Command, machine: Machine): void {
  runCommand(program, "prune", "Remove runs that ended long ago, and their logs.", PRUNE_HELP)
    .option("--older-than <time>", "Those that ended longer ago: 12h, 7d (default: 7d).")
    .option("--keep <n>", "Leave the last so many, and without --older-than only these.")
    .option("--logs-only", "Remove their logs, and leave the rest.")
    .option("--dry-run", "Only say what would be removed.")
    .addHelpText("after", "\nExamples:\n  tally prune --dry-run\n  tally prune --keep 10")
    .action(async (flags: PruneFlags) => {
      const { prune } = await import("./prune.ts");
      await whileRead(machine, prune(flags, machine));
    });
}

const PRUNE_HELP =
  "\n\nWhat is not finished stays. Logs that no run refers to go when they are as old.";
const REPORT_HELP =
  "\n\nThe page shows what ran when, how long attempts took, and what failed, with links to the " +
  "logs. It needs no other file and no network.";
const STATUS_HELP =
  "\n\nIt works while the run goes on, from any terminal, and afterwards. Failed items are shown " +
  "with their exit code, their log and how to run them again.";
const RETRY_HELP =
  "\n\nOf a run that goes on, items that are done or have failed are run once more beside the " +
  "others. One that is finished goes on under its name, with the same command and list; items " +
  "that were never run are run, too.\n\nExit codes are those of tally run.";
const RETRY_EXAMPLES = ["tally retry fetch", "tally retry fetch --item banana.txt"];
const RESULTS_HELP =
  "\n\nColumns: item, index, state, attempts, exit, seconds, log; and one for each parameter " +
  "where items have several.";
const RESULTS_EXAMPLES = [
  "tally results fetch > results.csv",
  "tally results fetch --format jsonl | jq -r 'select(.exit == 3).item'",
];

function runCommand(program: Command, name: string, summary: string, more = ""): Command {
  return program
    .command(name)
    .summary(summary)
    .description(summary + more)
    .option("--data <dir>", DATA_HELP)
    .option("-n, --namespace <name>", "Namespace of the run (default: default).");
}

/** A command that also works on a cluster. */
function placedCommand(program: Command, name: string, summary: string, more = ""): Command {
  return addPlaceOptions(runCommand(program, name, summary, more));
}

const DATA_HELP = "Where the runs are (default: .tally here, or that of tally up).";
