/** Makes a story of a seed. The same seed gives the same story, on every machine. */
import { Chance } from "../simulation/chance.ts";
import {
  type Act,
  type AttemptPlan,
  EASY,
  endsCli,
  type Flags,
  type Interruption,
  type Leg,
  type LegCommand,
  type List,
  type Moment,
  type Plan,
  type Release,
  type Step,
  type Story,
  taskNames,
} from "./story.ts";

export function generateStory(seed: number): Story {
  const chance = new Chance(seed, "story");
  const names = chance.happens(0.25) ? ["one", "two"] : ["one"];
  const runs = names.map((name) => generateRun(name, new Chance(seed, name), names.length > 1));
  const length = Math.max(...runs.map((legs) => legs.length));
  const steps: Step[] = [];
  // The last legs of all runs are played last, when nobody kills any more.
  for (let from = length; from > 0; from--) {
    const legs = runs.flatMap((all) => all[all.length - from] ?? []);
    steps.push({ legs });
  }
  return { seed, plans: generatePlans(steps, new Chance(seed, "plans")), steps };
}

/** What is known of a run while its legs are made up. */
interface Draft {
  list: List;
  flags: Flags;
  /** Values that were in the list once. */
  readonly known: Set<string>;
  /** Values that may come into it. */
  readonly choice: readonly string[];
  exists: boolean;
  isFinished: boolean;
}

function generateRun(run: string, chance: Chance, isShared: boolean): Leg[] {
  const batch = chance.happens(0.12) ? chance.between(2, 3) : 1;
  // In a batch a newline stands between two values.
  const choice = VALUES.filter((value) => batch === 1 || !value.includes("\n"));
  const values = Array.from({ length: chance.pick([0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 7, 9, 13]) }, () =>
    chance.pick(choice),
  );
  const draft: Draft = {
    list: { values, batch, tag: 0 },
    flags: generateFlags(chance),
    known: new Set(values),
    choice,
    exists: false,
    isFinished: false,
  };
  const legs: Leg[] = [generateLeg(run, runCommand("new", draft), draft, { chance, isShared })];
  for (let more = chance.pick([0, 0, 1, 1, 2, 3]); more > 0; more--) {
    const command = nextCommand(draft, chance);
    legs.push(generateLeg(run, command, draft, { chance, isShared }));
  }
  if (chance.happens(0.5)) edit(draft, chance);
  const place = chance.between(1, 9);
  const release = chance.happens(0.5) ? { at: "start" as const } : later(chance);
  legs.push({ run, command: runCommand("resume", draft), place, release });
  return legs;
}

function runCommand(mode: "new" | "resume" | "replace", { list, flags }: Draft): LegCommand {
  return { kind: "run", mode, list, flags };
}

function nextCommand(draft: Draft, chance: Chance): LegCommand {
  const isEmpty = draft.list.values.length === 0;
  if (draft.exists && !isEmpty && chance.happens(0.15)) return { kind: "resume" };
  if (draft.exists && !isEmpty && chance.happens(0.25)) {
    const tasks = taskNames("", draft.list).length;
    const indexes = Array.from({ length: tasks }, (_, index) => index);
    if (!draft.isFinished || chance.happens(0.5)) return { kind: "retry" };
    return { kind: "retry", indexes: indexes.filter(() => chance.happens(0.4)).concat(0) };
  }
  if (chance.happens(0.75)) edit(draft, chance);
  if (chance.happens(0.2)) draft.flags = generateFlags(chance);
  const isReplaced = draft.exists && draft.isFinished && chance.happens(0.25);
  return runCommand(isReplaced ? "replace" : "resume", draft);
}

function generateLeg(
  run: string,
  command: LegCommand,
  draft: Draft,
  { chance, isShared }: { readonly chance: Chance; readonly isShared: boolean },
): Leg {
  const place = chance.between(1, 9);
  const isEmpty = command.kind === "run" && command.list.values.length === 0;
  const isInterrupted = !isEmpty && chance.happens(0.7);
  const interruption = isInterrupted ? generateInterruption(command, chance) : undefined;
  const hasBegun = interruption !== undefined && "begun" in interruption.moment;
  // In a shared directory the other run may end this one at any moment.
  const isSure = !isShared && (interruption === undefined || hasBegun);
  if (!isEmpty && isSure) draft.exists = true;
  draft.isFinished = !isShared && !isInterrupted && !isEmpty;
  const mayHost = isShared && run === "one" && interruption === undefined;
  const hosts = mayHost && chance.happens(0.5);
  const release: Release = hosts ? { at: "others" } : generateRelease(interruption, chance);
  return { run, command, place, release, ...(interruption ? { interruption } : {}) };
}

function generateInterruption(command: LegCommand, chance: Chance): Interruption {
  const act: Act = chance.happens(0.45)
    ? "kill cli"
    : chance.pick([
        "kill spawner",
        "kill slot",
        "kill cli and spawner",
        "kill slots and spawner",
        "kill all",
        "interrupt",
        "interrupt twice",
        "terminate",
      ]);
  const isFirst = command.kind === "run" && command.mode === "new";
  if (act === "kill cli" && !isFirst && chance.happens(0.4)) {
    return { moment: { dieAt: `any:${chance.between(1, 8)}` }, act };
  }
  const moment: Moment = chance.happens(0.6)
    ? { begun: chance.between(1, 6) }
    : { afterMs: chance.between(50, 1200) };
  return { moment, act };
}

function generateRelease(interruption: Interruption | undefined, chance: Chance): Release {
  if (interruption === undefined) return chance.happens(0.6) ? { at: "start" } : later(chance);
  const { act, moment } = interruption;
  if ("dieAt" in moment) return chance.happens(0.5) ? { at: "start" } : later(chance);
  if (chance.happens(0.25)) return { at: "start" };
  if (endsCli(act) && chance.happens(0.6)) return { at: "never" };
  return { at: "interruption" };
}

function later(chance: Chance): Release {
  return { at: "later", ms: chance.between(100, 1500) };
}

function generateFlags(chance: Chance): Flags {
  const halts = chance.happens(0.15);
  const limits = chance.happens(0.12);
  return {
    jobs: chance.pick([1, 1, 2, 2, 3, 4]),
    retries: chance.pick([0, 1, 1, 2]),
    ...(halts ? { halt: chance.pick(["now", "soon"] as const) } : {}),
    ...(limits ? { maxFailed: chance.between(0, 2) } : {}),
    keepOrder: chance.happens(0.35),
    output: chance.pick(["text", "text", "quiet", "json"]),
  };
}

/** Some are equal to others, some are hard to pass on, and one has two lines. */
const VALUES: readonly string[] = [
  ..."abcdefgh",
  ...[
    "a",
    "b",
    "10",
    "2",
    "k l",
    " m",
    "-n",
    "--help",
    "$(false)",
    "'o'",
    '"p',
    "{}",
    "{1}",
    "\\q",
  ],
  ...["ü", "漢字", "🍏", "é", "é", "a/b.txt", "x\ny", "%s", "*", "a,b"],
];

function edit(draft: Draft, chance: Chance): void {
  const values = [...draft.list.values];
  for (let changes = chance.between(1, 3); changes > 0; changes--) editOnce(values, draft, chance);
  const isTagged = chance.happens(0.1);
  const kept = chance.happens(0.03) ? [] : values.slice(0, MOST_ITEMS);
  draft.list = { ...draft.list, values: kept, tag: draft.list.tag + (isTagged ? 1 : 0) };
  for (const value of kept) draft.known.add(value);
}

const MOST_ITEMS = 16;

function editOnce(values: string[], { known, choice }: Draft, chance: Chance): void {
  const at = chance.between(0, Math.max(0, values.length - 1));
  switch (chance.pick(["top", "top", "append", "delete", "move", "reverse", "double", "return"])) {
    case "top":
      values.unshift(chance.pick(choice));
      break;
    case "append":
      values.push(chance.pick(choice));
      break;
    case "delete":
      values.splice(at, 1);
      break;
    case "move":
      values.splice(chance.between(0, values.length), 0, ...values.splice(at, 1));
      break;
    case "reverse":
      values.reverse();
      break;
    case "double":
      values.splice(chance.between(0, values.length), 0, ...values.slice(at, at + 1));
      break;
    default:
      // What was there once comes back.
      if (known.size > 0) values.splice(at, 0, chance.pick([...known]));
  }
}

function generatePlans(steps: readonly Step[], chance: Chance): { [task: string]: Plan } {
  const plans: { [task: string]: Plan } = {};
  const releases = steps.flatMap(({ legs }) => legs.map(({ release }) => release.at));
  const canHold = releases.some((at) => at !== "start");
  for (const { run, command } of steps.flatMap(({ legs }) => legs)) {
    if (command.kind !== "run") continue;
    for (const task of taskNames(run, command.list)) {
      plans[task] ??= generatePlan(chance, canHold);
    }
  }
  const difficult = Object.entries(plans).filter(([, plan]) => plan !== PLAIN);
  return Object.fromEntries(difficult);
}

const PLAIN: Plan = { attempts: [], after: EASY };

function generatePlan(chance: Chance, canHold: boolean): Plan {
  if (chance.happens(0.4)) return PLAIN;
  const failures = chance.happens(0.3) ? chance.between(1, 3) : 0;
  const attempt = (code: number): AttemptPlan => ({
    code,
    lines: chance.pick([0, 1, 1, 3]),
    isHeld: canHold && chance.happens(0.5),
  });
  const attempts = Array.from({ length: failures }, () => attempt(chance.pick(CODES)));
  const isHopeless = chance.happens(0.1);
  return {
    attempts: [...attempts, attempt(isHopeless ? 3 : 0)],
    after: { ...EASY, code: isHopeless ? 3 : 0 },
  };
}

const CODES = [1, 3, 42, 200];
