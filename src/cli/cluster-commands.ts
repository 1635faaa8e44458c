/**
 * The commands that talk to a server: their arguments and flags, which are those of kubectl. What
 * each does is in the file of its name, loaded when it is called.
 */

import type { Command } from "commander";
import { collected } from "../command/flags.ts";
import type { Invocation } from "../command/invocation.ts";
import { type Machine, whileRead } from "../command/machine.ts";
import type { ApplyFlags } from "./apply.ts";
import type { DeleteFlags } from "./delete.ts";
import type { DescribeFlags } from "./describe.ts";
import type { GetFlags } from "./get-flags.ts";
import type { LogsFlags } from "./logs.ts";
import type { WaitFlags } from "./wait.ts";

export function addClusterCommands(program: Command, invocation: Invocation): void {
  const { machine } = invocation;
  addApply(program, machine);
  addGet(program, machine);
  addDescribe(program, machine);
  addLogs(program, machine);
  addWait(program, invocation);
  addDelete(program, machine);
}

const TARGET_HELP =
  "\n\nA NAME alone is a Job; anything else is TYPE NAME or TYPE/NAME, as for kubectl.";

function addApply(program: Command, machine: Machine): void {
  clusterCommand(program, "apply", "Create objects from manifests, or bring them up to date.")
    .requiredOption("-f, --filename <file>", FILENAME_HELP, collected)
    .option("-R, --recursive", "Also read the directories within a directory.")
    .option("--dry-run <where>", '"server": check and answer, change nothing; or "none".', "none")
    .option("-o, --output <format>", "json, yaml, name or jsonpath=TEMPLATE.")
    .addHelpText("after", "\nExample:\n  tally apply -f job.yaml")
    .action(async (flags: ApplyFlags) => {
      const { apply } = await import("./apply.ts");
      await whileRead(machine, apply(flags, machine));
    });
}

function addGet(program: Command, machine: Machine): void {
  clusterCommand(program, "get", "Show objects: a table of them, or one as it is.", TARGET_HELP)
    .argument("[target...]", "What to show (default: Jobs).")
    .option("-A, --all-namespaces", "Of all namespaces.")
    .option("-l, --selector <labels>", SELECTOR_HELP)
    .option("--field-selector <fields>", "Only objects with these fields: a=b,c!=d.")
    .option("-o, --output <format>", "wide, json, yaml, name or jsonpath=TEMPLATE.")
    .option("-w, --watch", "Go on and show each change.")
    .option("--watch-only", "Show changes only.")
    .option("--no-headers", "Without the line of headings.")
    .option("--show-labels", "All labels, in a column.")
    .option("-L, --label-columns <labels>", "A column for each of these labels: a,b.")
    .option("--show-kind", "Names with their kind.")
    .option("--show-managed-fields", "Also who set which field, in json and yaml.")
    .option("--sort-by <path>", "In the order of this field: .metadata.name.")
    .option("--ignore-not-found", "What is not there is no error.")
    .addHelpText("after", "\nExample:\n  tally get pods -l job-name=hello -w")
    .action(async (args: string[], flags: GetFlags) => {
      const { get } = await import("./get.ts");
      await whileRead(machine, get(args, flags, machine));
    });
}

function addDescribe(program: Command, machine: Machine): void {
  clusterCommand(program, "describe", "Show objects in detail, with their events.", TARGET_HELP)
    .argument("<target...>", "What to describe; the beginning of a name is enough.")
    .option("-A, --all-namespaces", "Of all namespaces.")
    .option("-l, --selector <labels>", SELECTOR_HELP)
    .option("--show-events", "Events of several objects, too.")
    .option("--no-show-events", "Without the events.")
    .addHelpText("after", "\nExample:\n  tally describe hello\n  tally describe pod/hello-0-x2x4k")
    .action(async (args: string[], flags: DescribeFlags) => {
      const { describe } = await import("./describe.ts");
      await whileRead(machine, describe(args, flags, machine));
    });
}

function addLogs(program: Command, machine: Machine): void {
  clusterCommand(program, "logs", "Show what the containers of pods print.", LOGS_HELP)
    .argument("[target]", "A Job by its NAME, or TYPE/NAME.")
    .argument("[part]", "Of a run an index or an item; of a pod a container.")
    .option("-f, --follow", "Go on as more is printed.")
    .option("-p, --previous", "Of the run before the last restart.")
    .option("-c, --container <name>", "Of this container.")
    .option("--all-containers", "Of all containers, init containers too.")
    .option("--all-pods", "Of all pods, each line with the name of its pod.")
    .option("-l, --selector <labels>", "Of the pods with these labels: a=b,c!=d.")
    .option("--tail <lines>", "Only the last lines (default: all, or 10 with a selector).")
    .option("--since <time>", "Only of the last 5s, 2m or 3h.")
    .option("--since-time <time>", "Only after this time (RFC 3339).")
    .option("--timestamps", "Each line with its time.")
    .option("--limit-bytes <bytes>", "No more than this.")
    .option("--prefix", "Each line with the names of its pod and container.")
    .option("--max-log-requests <n>", "Logs that are followed at once.", "5")
    .option("--ignore-errors", "A log that breaks off does not end the others.")
    .option("--pod-running-timeout <time>", "How long to wait for a first pod.", "20s")
    .option("--failed", "Of a run: only of items that failed.")
    .option("--index <list>", "Of a run: of these indexes, as 3,7-9.")
    .option("--item <item>", "Of a run: of the item that is called so.")
    .option("--attempt <n>", "Of a run: of this attempt (default: the last).")
    .addHelpText("after", `\nExamples:\n  ${LOGS_EXAMPLES.join("\n  ")}`)
    .action(async (target: string | undefined, container: string | undefined, flags: LogsFlags) => {
      const { logs } = await import("./logs.ts");
      await whileRead(machine, logs({ target, container }, flags, machine));
    });
}

function addWait(program: Command, invocation: Invocation): void {
  const { machine } = invocation;
  clusterCommand(program, "wait", "Wait until objects are as they should be.", WAIT_HELP)
    .argument("[target...]", "What to wait for.")
    .option("--for <what>", FOR_HELP)
    .option("--timeout <time>", TIMEOUT_HELP)
    .option("-A, --all-namespaces", "Of all namespaces.")
    .option("-l, --selector <labels>", SELECTOR_HELP)
    .option("--field-selector <fields>", "Only objects with these fields: a=b,c!=d.")
    .option("--all", "All objects of the kind.")
    .option("-f, --filename <file>", FILENAME_HELP, collected)
    .option("-R, --recursive", "Also read the directories within a directory.")
    .option("-o, --output <format>", "json, yaml, name or jsonpath=TEMPLATE.")
    .addHelpText(
      "after",
      "\nExamples:\n  tally wait fetch && echo all done\n" +
        "  tally wait hello --for condition=complete --timeout 10m",
    )
    .action(async (args: string[], flags: WaitFlags) => {
      const { wait } = await import("./wait.ts");
      invocation.exitCode = await whileRead(machine, wait(args, flags, machine));
    });
}

function addDelete(program: Command, machine: Machine): void {
  clusterCommand(program, "delete", "Delete objects, and wait until they are gone.", TARGET_HELP)
    .argument("[target...]", "What to delete.")
    .option("-f, --filename <file>", FILENAME_HELP, collected)
    .option("-R, --recursive", "Also read the directories within a directory.")
    .option("-l, --selector <labels>", SELECTOR_HELP)
    .option("--field-selector <fields>", "Only objects with these fields: a=b,c!=d.")
    .option("--all", "All objects of the kind.")
    .option("-A, --all-namespaces", "Of all namespaces.")
    .option("--cascade <policy>", CASCADE_HELP, "background")
    .option("--grace-period <seconds>", "Time to stop; 0 with --force does not wait.", "-1")
    .option("--now", "One second to stop.")
    .option("--force", "Remove pods without waiting for their processes to end.")
    .option("--wait [yes]", "Until the objects are gone.", "true")
    .option("--no-wait", "Do not wait.")
    .option("--timeout <time>", "How long to wait; 0 is as long as it takes.", "0s")
    .option("--ignore-not-found", "What is not there is no error.")
    .option("-o, --output <format>", '"name": only the names.')
    .addHelpText("after", "\nExample:\n  tally delete hello")
    .action(async (args: string[], flags: DeleteFlags) => {
      const { deleteObjects } = await import("./delete.ts");
      await whileRead(machine, deleteObjects(args, flags, machine));
    });
}

const FILENAME_HELP = 'A manifest, a directory of them, or "-" for stdin; may be repeated.';
const SELECTOR_HELP = "Only objects with these labels: a=b,c!=d.";
const CASCADE_HELP = "What happens to what they own: background, foreground or orphan.";
const FOR_HELP =
  "condition=NAME[=VALUE], jsonpath=PATH[=VALUE], create, delete, or finished: a Job that is " +
  "complete or has failed (default).";
const TIMEOUT_HELP =
  "How long; 0 looks once, -1s waits for a week (default: 30s, and without --for no limit).";
const LOGS_HELP =
  `${TARGET_HELP} Of a Job with several pods one is chosen, unless --all-pods.\n\n` +
  "The NAME of a run in the data directory shows all its items in the order of the list, or one " +
  "by its index or name, though its pod is gone.";
const LOGS_EXAMPLES = [
  "tally logs fetch banana.txt",
  "tally logs fetch --failed --tail 20",
  "tally logs -l job-name=hello,batch.kubernetes.io/job-completion-index=2 --tail -1",
];
const WAIT_HELP =
  `${TARGET_HELP}\n\nExit codes: 0 it is so; 1 it was not in time; 3 without --for, or with ` +
  "--for finished: a Job or run has failed.";

function clusterCommand(program: Command, name: string, summary: string, more = ""): Command {
  return program
    .command(name)
    .summary(summary)
    .description(summary + more)
    .option("-n, --namespace <name>", "Namespace (default: that of the context, or default).")
    .option("--kubeconfig <file>", KUBECONFIG_HELP)
    .option("--data <dir>", "Data directory of the engine to ask (default: .tally, if one runs).")
    .option("--context <name>", "Context of the kubeconfig to use.");
}

const KUBECONFIG_HELP =
  "Where the server is (default: the engine in .tally, $KUBECONFIG, that of tally up, " +
  "~/.kube/config).";
