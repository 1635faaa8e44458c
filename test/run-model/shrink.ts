/**
 * Makes a story that fails smaller: it leaves out steps, interruptions, items, plans and flags as
 * long as the same kind of failure remains. Real processes decide what happens, so that a smaller
 * story is played more than once before it is given up.
 */
import {
  type AttemptPlan,
  type Flags,
  type Leg,
  type LegCommand,
  type Plan,
  type Step,
  type Story,
  taskNames,
} from "./story.ts";

export interface ShrinkOptions {
  /** Whether a story still fails in the same way. */
  readonly fails: (story: Story) => Promise<boolean>;
  /** The most stories that are played. */
  readonly plays: number;
  /** How often a story is played before it counts as one that does not fail. */
  readonly tries: number;
}

export async function shrinkStory(story: Story, options: ShrinkOptions): Promise<Story> {
  let smallest = story;
  let plays = options.plays;
  const seen = new Set<string>([JSON.stringify(story)]);
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of [...smallerStories(smallest)].map(withoutOldPlans)) {
      const text = JSON.stringify(candidate);
      if (seen.has(text)) continue;
      seen.add(text);
      for (let tries = options.tries; tries > 0 && !isSmaller; tries--) {
        if (plays-- <= 0) return smallest;
        isSmaller = await options.fails(candidate);
      }
      if (!isSmaller) continue;
      smallest = candidate;
      break;
    }
  }
  return smallest;
}

/** What could be left out, the largest parts first. */
export function* smallerStories(story: Story): Generator<Story> {
  const { steps } = story;
  const runs = new Set(steps.flatMap(({ legs }) => legs.map(({ run }) => run)));
  if (runs.size > 1) for (const run of runs) yield withoutRun(story, run);
  if (steps.length > 1) {
    for (const step of steps) yield { ...story, steps: steps.filter((each) => each !== step) };
  }
  for (const value of valuesOf(story)) yield withoutValue(story, value);
  yield* smallerLegs(story);
  yield* smallerPlans(story);
}

/** Without plans of tasks that are in no list any more. */
function withoutOldPlans(story: Story): Story {
  const legs = story.steps.flatMap((step) => step.legs);
  const tasks = new Set(
    legs.flatMap(({ run, command }) =>
      command.kind === "run" ? taskNames(run, command.list) : [],
    ),
  );
  const plans = Object.entries(story.plans).filter(([task]) => tasks.has(task));
  return { ...story, plans: Object.fromEntries(plans) };
}

function withoutRun(story: Story, run: string): Story {
  const steps = story.steps.map(({ legs }) => ({ legs: legs.filter((leg) => leg.run !== run) }));
  return { ...story, steps: steps.filter(({ legs }) => legs.length > 0) };
}

function valuesOf({ steps }: Story): ReadonlySet<string> {
  const legs = steps.flatMap((step) => step.legs);
  return new Set(
    legs.flatMap(({ command }) => (command.kind === "run" ? command.list.values : [])),
  );
}

function withoutValue(story: Story, value: string): Story {
  return withLegs(story, (leg) => {
    const { command } = leg;
    if (command.kind !== "run") return leg;
    const values = command.list.values.filter((each) => each !== value);
    return { ...leg, command: { ...command, list: { ...command.list, values } } };
  });
}

function withLegs(story: Story, change: (leg: Leg) => Leg): Story {
  return { ...story, steps: story.steps.map(({ legs }) => ({ legs: legs.map(change) })) };
}

function* smallerLegs(story: Story): Generator<Story> {
  for (const [at, step] of story.steps.entries()) {
    for (const leg of step.legs) {
      for (const smaller of smallerLeg(leg)) yield withLeg(story, at, leg, smaller);
    }
  }
}

function withLeg(story: Story, at: number, leg: Leg, smaller: Leg): Story {
  const change = (step: Step, number: number): Step =>
    number === at ? { legs: step.legs.map((each) => (each === leg ? smaller : each)) } : step;
  return { ...story, steps: story.steps.map(change) };
}

function* smallerLeg(leg: Leg): Generator<Leg> {
  const { interruption, command, release, ...rest } = leg;
  if (interruption) {
    yield { ...rest, command, release: { at: "start" } };
    const { moment, act } = interruption;
    if ("begun" in moment && moment.begun > 1) {
      yield { ...leg, interruption: { act, moment: { begun: moment.begun - 1 } } };
    }
  }
  if (release.at !== "start") yield { ...leg, release: { at: "start" } };
  if (command.kind === "run") {
    for (const smaller of smallerCommands(command)) yield { ...leg, command: smaller };
  }
  if (leg.place !== 1) yield { ...leg, place: 1 };
}

type RunCommand = Extract<LegCommand, { kind: "run" }>;

function* smallerCommands(command: RunCommand): Generator<RunCommand> {
  const { list, flags } = command;
  const { values, batch, tag } = list;
  for (const at of values.keys()) {
    yield { ...command, list: { ...list, values: values.filter((_, index) => index !== at) } };
  }
  if (batch > 1) yield { ...command, list: { ...list, batch: 1 } };
  if (tag > 0) yield { ...command, list: { ...list, tag: tag - 1 } };
  for (const simpler of simplerFlags(flags)) yield { ...command, flags: simpler };
}

function* simplerFlags(flags: Flags): Generator<Flags> {
  const { halt, maxFailed, ...rest } = flags;
  if (halt !== undefined) yield { ...rest, ...(maxFailed === undefined ? {} : { maxFailed }) };
  if (maxFailed !== undefined) yield { ...rest, ...(halt === undefined ? {} : { halt }) };
  if (flags.keepOrder) yield { ...flags, keepOrder: false };
  if (flags.output !== "text") yield { ...flags, output: "text" };
  if (flags.retries > 0) yield { ...flags, retries: 0 };
  if (flags.jobs > 1) yield { ...flags, jobs: flags.jobs - 1 };
}

function* smallerPlans(story: Story): Generator<Story> {
  for (const [task, plan] of Object.entries(story.plans)) {
    const { [task]: _, ...others } = story.plans;
    yield { ...story, plans: others };
    for (const smaller of smallerPlan(plan)) {
      yield { ...story, plans: { ...story.plans, [task]: smaller } };
    }
  }
}

function* smallerPlan({ attempts, after }: Plan): Generator<Plan> {
  if (attempts.length > 1) yield { attempts: attempts.slice(1), after };
  for (const [at, attempt] of attempts.entries()) {
    for (const simpler of simplerAttempts(attempt)) {
      yield { attempts: attempts.map((each, index) => (index === at ? simpler : each)), after };
    }
  }
}

function* simplerAttempts(attempt: AttemptPlan): Generator<AttemptPlan> {
  if (attempt.isHeld) yield { ...attempt, isHeld: false };
  if (attempt.lines !== 1) yield { ...attempt, lines: 1 };
}
