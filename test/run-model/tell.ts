/** Pure: a story in a few lines, for people who have to find out what went wrong. */
import type { Leg, Moment, Plan, Release, Story } from "./story.ts";

export function tellStory({ seed, steps, plans }: Story): string {
  const told = steps.flatMap(({ legs }, at) => legs.map((leg) => `  ${at}. ${tellLeg(leg)}`));
  const planned = Object.entries(plans).map(([task, plan]) => `  ${task}: ${tellPlan(plan)}`);
  return [`seed ${seed}`, ...told, ...planned].join("\n");
}

function tellLeg({ run, command, interruption, release, place }: Leg): string {
  const parts = [tellCommand(run, command), `place ${place}`, `release ${tellRelease(release)}`];
  if (interruption) parts.push(`${interruption.act} ${tellMoment(interruption.moment)}`);
  return parts.join(", ");
}

function tellCommand(run: string, command: Leg["command"]): string {
  if (command.kind === "resume") return `resume ${run}`;
  if (command.kind === "retry") return `retry ${run} ${command.indexes?.join() ?? "--failed"}`;
  const { mode, list, flags } = command;
  const { jobs, retries, halt, maxFailed, keepOrder, output } = flags;
  const words = [
    ...[`run ${run}`, mode === "new" ? "" : `--${mode}`, `-j${jobs}`, `--retries ${retries}`],
    ...[halt ? `--halt ${halt}` : "", maxFailed === undefined ? "" : `--max-failed ${maxFailed}`],
    ...[keepOrder ? "-k" : "", output === "text" ? "" : output],
    ...[list.batch > 1 ? `--batch ${list.batch}` : "", list.tag > 0 ? `command ${list.tag}` : ""],
  ];
  return `${words.filter(Boolean).join(" ")} ${JSON.stringify(list.values)}`;
}

function tellMoment(moment: Moment): string {
  if ("begun" in moment) return `when ${moment.begun} began`;
  return "afterMs" in moment ? `after ${moment.afterMs} ms` : `at ${moment.dieAt}`;
}

function tellRelease(release: Release): string {
  return release.at === "later" ? `after ${release.ms} ms` : release.at;
}

function tellPlan({ attempts, after }: Plan): string {
  const tell = ({ code, lines, isHeld }: Plan["after"]) =>
    `exit ${code}${lines === 1 ? "" : `, ${lines} lines`}${isHeld ? ", held" : ""}`;
  return [...attempts.map(tell), `then ${tell(after)}`].join("; ");
}
