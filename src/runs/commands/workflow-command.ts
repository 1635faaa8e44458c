/** The arguments and flags of "tally create-workflow". */

import type { Command } from "commander";
import { collected } from "../../command/flags.ts";
import type { Invocation } from "../../command/invocation.ts";
import type { CreateWorkflowFlags } from "./workflow.ts";

export function addCreateWorkflow(program: Command, invocation: Invocation): void {
  program
    .command("create-workflow")
    .summary("Run Jobs of templates, each when those before it have succeeded.")
    .description(HELP)
    .argument("<name>", "The workflow.")
    .option("--job <jobTemplate/name>", "A step; STEP=jobTemplate/NAME to call it so.", collected)
    .option("--dependency <before:after>", "One step begins after another; repeatable.", collected)
    .option("-n, --namespace <name>", "Namespace of the workflow, its templates and Jobs.")
    .option("-q, --quiet", "Say only that it was created.")
    .option("--data <dir>", "Where runs are stored (default: .tally).")
    .addHelpText("after", EXAMPLE)
    .action(async (name: string, flags: CreateWorkflowFlags) => {
      const { createWorkflow } = await import("./workflow.ts");
      invocation.exitCode = await createWorkflow(name, flags, invocation.machine);
    });
}

const HELP =
  "Create a workflow of the templates that tally run --asTemplate has made. A step begins when " +
  "all it depends on have succeeded; what depends on a step that failed does not begin.\n\n" +
  "A server (tally up) of the data directory sees to it; without one it is run here, in the " +
  "foreground. Exit codes: 0 every step succeeded; 1 some failed; 2 called wrongly; 130 stopped " +
  "by Ctrl-C, and can be resumed.";
const EXAMPLE = `
Example:
  tally run process-files --asTemplate -- ./process {} ::: 1.dat 2.dat
  tally run merge-files --asTemplate -- ./merge 1.out 2.out
  tally create-workflow process-and-merge --job=jobTemplate/process-files \\
    --job=jobTemplate/merge-files --dependency=process-files:merge-files`;

/** Commands accept "workflow/NAME" in place of the NAME of a run. */
export function workflowNameOf(text: string): string | undefined {
  return /^(?:workflows?|wf)\/(.+)$/i.exec(text)?.[1];
}
