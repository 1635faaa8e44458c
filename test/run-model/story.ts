/**
 * A story: what a user and bad luck do to some runs in one directory. It is plain data, so that it
 * can be printed, kept in a file and made smaller. generate.ts makes a story from a seed, play.ts
 * plays it against the real program, and model.ts judges what happened.
 */

export interface Story {
  readonly seed: number;
  /** By task, see `taskName`. A task without a plan succeeds at once and prints one line. */
  readonly plans: { readonly [task: string]: Plan };
  /** One after the other. The legs of a step run at the same time, each of a run of its own. */
  readonly steps: readonly Step[];
}

export interface Step {
  readonly legs: readonly Leg[];
}

/** What a task does at each attempt; `after` is for all attempts that the list does not name. */
export interface Plan {
  readonly attempts: readonly AttemptPlan[];
  readonly after: AttemptPlan;
}

export interface AttemptPlan {
  readonly code: number;
  readonly lines: number;
  /** Waits until the test releases the run. */
  readonly isHeld: boolean;
}

/** One command of the user on one run, from its start to its end. */
export interface Leg {
  /** The name of the run. */
  readonly run: string;
  readonly command: LegCommand;
  /** Number of the surroundings (environment, umask, limit, directory) it is typed in. */
  readonly place: number;
  readonly interruption?: Interruption;
  readonly release: Release;
}

export type LegCommand =
  | { readonly kind: "run"; readonly mode: RunMode; readonly list: List; readonly flags: Flags }
  | { readonly kind: "resume" }
  /** Without indexes: what failed. */
  | { readonly kind: "retry"; readonly indexes?: readonly number[] };

/** "new" is the first run of a name. */
export type RunMode = "new" | "resume" | "replace";

export interface List {
  readonly values: readonly string[];
  /** Items of each task; 1 without --batch. */
  readonly batch: number;
  /** Another one is another command line for the same list. */
  readonly tag: number;
}

export interface Flags {
  readonly jobs: number;
  readonly retries: number;
  readonly halt?: "now" | "soon";
  readonly maxFailed?: number;
  readonly keepOrder: boolean;
  readonly output: "text" | "quiet" | "json";
}

export interface Interruption {
  readonly moment: Moment;
  readonly act: Act;
}

export type Moment =
  /** So many tasks of the run began in this leg. */
  | { readonly begun: number }
  | { readonly afterMs: number }
  /** The program ends itself by SIGKILL at the n-th step of this name; "any" counts all. */
  | { readonly dieAt: string };

export const KILLS = [
  "kill cli",
  "kill spawner",
  "kill slot",
  "kill cli and spawner",
  "kill slots and spawner",
  "kill all",
] as const;
export const ACTS = [...KILLS, "interrupt", "interrupt twice", "terminate"] as const;
export type Act = (typeof ACTS)[number];

/** When held tasks of the run may go on. */
export type Release =
  | { readonly at: "start" }
  | { readonly at: "interruption" }
  | { readonly at: "later"; readonly ms: number }
  /** When the other legs of the step have ended, so that this one is there all the time. */
  | { readonly at: "others" }
  /** Not in this leg: they are still there when the next one begins. */
  | { readonly at: "never" };

export const EASY: AttemptPlan = { code: 0, lines: 1, isHeld: false };

/** Whether the command that the user typed cannot outlive the act. */
export function endsCli(act: Act): boolean {
  return act === "kill cli" || act === "kill cli and spawner" || act === "kill all";
}

export function isKill(act: Act): boolean {
  return (KILLS as readonly Act[]).includes(act);
}

/** What the tasks of a list are: each has the values of one task. */
export function tasksOf({ values, batch }: List): readonly (readonly string[])[] {
  const tasks: string[][] = [];
  for (let at = 0; at < values.length; at += batch) tasks.push(values.slice(at, at + batch));
  return tasks;
}

/**
 * An item is its value and, of equal ones, the how manieth it is. With batches the item is the
 * batch. Names are unique over all runs of a story.
 */
export function taskNames(run: string, list: List): readonly string[] {
  const seen = new Map<string, number>();
  return tasksOf(list).map((values) => {
    const text = JSON.stringify(values);
    const occurrence = (seen.get(text) ?? 0) + 1;
    seen.set(text, occurrence);
    return `${run} ${text} ${occurrence}`;
  });
}

export function planOf({ plans }: Story, task: string, attempt: number): AttemptPlan {
  const plan = plans[task];
  return plan === undefined ? EASY : (plan.attempts[attempt - 1] ?? plan.after);
}
