/**
 * Random Jobs of every shape, and plans for their containers: drawn once, before anything happens.
 */
import type {
  Job,
  JobSpec,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from "../../src/api/generated/batch.ts";
import { Chance } from "./chance.ts";

export interface Shape {
  readonly body: Job;
  readonly plan: Plan;
}

/** What happens to the pods of one Job, by index and attempt. */
export interface Plan {
  readonly seed: number;
  /**
   * The probabilities that an attempt fails, that its node is disrupted, that it takes very long.
   */
  readonly failures: number;
  readonly disruptions: number;
  readonly delays: number;
  readonly longestRunMs: number;
}

export interface Fate {
  readonly exitCode: number;
  readonly startMs: number;
  readonly runMs: number;
  /** "evicted": deleted with a reason. "out of resources": failed at once. */
  readonly disruption?: "evicted" | "out of resources";
  /** How long it takes to stop when asked to, and the exit code then. */
  readonly stopMs: number;
  readonly stopExitCode: number;
}

const EXIT_CODES = [1, 2, 3, 42] as const;
/** From this attempt on everything succeeds, so that every world comes to rest. */
const LAST_FAILURE = 8;

export function fateOf(plan: Plan, index: number | undefined, attempt: number): Fate {
  const chance = new Chance(plan.seed, `fate ${index ?? "-"} ${attempt}`);
  const isDelayed = chance.happens(plan.delays);
  const fails = chance.happens(plan.failures) && attempt < LAST_FAILURE;
  const isDisrupted = chance.happens(plan.disruptions) && attempt < LAST_FAILURE;
  return {
    exitCode: fails ? chance.pick(EXIT_CODES) : 0,
    startMs: isDelayed ? chance.between(20_000, 90_000) : chance.between(1, 2_000),
    runMs: chance.between(1, plan.longestRunMs),
    ...(isDisrupted ? { disruption: chance.pick(["evicted", "out of resources"] as const) } : {}),
    stopMs: isDelayed ? chance.between(20_000, 120_000) : chance.between(1, 8_000),
    stopExitCode: chance.pick([0, 137, 143, 143]),
  };
}

export function drawShape(seed: number, name: string): Shape {
  const chance = new Chance(seed, `shape ${name}`);
  const spec = drawSpec(chance);
  const body = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: "default" },
    spec,
  };
  const plan = {
    seed: chance.between(0, 2 ** 31),
    failures: chance.pick([0, 0.15, 0.4, 0.7, 0.95]),
    disruptions: chance.pick([0, 0, 0.1, 0.4]),
    delays: chance.pick([0, 0.1, 0.3]),
    longestRunMs: chance.pick([50, 5_000, 60_000]),
  };
  return { body: body as unknown as Job, plan };
}

type Fields = Partial<JobSpec>;

function drawSpec(chance: Chance): Fields {
  const mode = chance.pick(["Indexed", "Indexed", "Indexed", "NonIndexed", "NonIndexed", "queue"]);
  const completions = chance.happens(0.04) ? 0 : chance.between(1, 6);
  const restartPolicy = chance.happens(0.2) ? "OnFailure" : "Never";
  const perIndex = mode === "Indexed" && chance.happens(0.45);
  const deadline = chance.happens(0.12) && { activeDeadlineSeconds: chance.between(10, 200) };
  const timeToLive = chance.happens(0.15) && { ttlSecondsAfterFinished: chance.between(0, 60) };
  const limit = chance.happens(0.7) && { backoffLimit: chance.pick([0, 1, 2, 3, 5]) };
  return {
    parallelism: chance.happens(0.04) ? 0 : chance.between(1, 4),
    ...(mode === "queue" ? {} : { completions }),
    ...(mode === "Indexed" ? { completionMode: "Indexed" } : {}),
    ...(chance.happens(0.1) ? { suspend: true } : {}),
    ...limit,
    ...deadline,
    ...timeToLive,
    ...(perIndex ? drawIndexLimits(chance, completions) : {}),
    ...(mode === "Indexed" && chance.happens(0.25) ? drawSuccessPolicy(chance, completions) : {}),
    ...drawReplacement(chance, restartPolicy === "Never" && chance.happens(0.4), perIndex),
    template: {
      metadata: {},
      spec: {
        restartPolicy,
        terminationGracePeriodSeconds: chance.pick([1, 10, 30]),
        containers: [{ name: "c", image: "busybox:1.36" }],
      },
    } as unknown as JobSpec["template"],
  };
}

function drawIndexLimits(chance: Chance, completions: number): Fields {
  const backoffLimitPerIndex = chance.pick([0, 0, 1, 2]);
  const isLimited = chance.happens(0.4);
  return {
    backoffLimitPerIndex,
    ...(isLimited ? { maxFailedIndexes: chance.between(0, completions) } : {}),
  };
}

function drawSuccessPolicy(chance: Chance, completions: number): Fields {
  if (completions === 0) return {};
  const rule = (): SuccessPolicyRule => {
    const last = chance.between(0, completions - 1);
    const succeededIndexes = chance.happens(0.5) ? `${last}` : last > 0 ? `0-${last}` : "0";
    const size = succeededIndexes.startsWith("0-") ? last + 1 : 1;
    if (chance.happens(0.3)) return { succeededCount: chance.between(1, completions) };
    if (chance.happens(0.5)) return { succeededIndexes };
    return { succeededIndexes, succeededCount: chance.between(1, size) };
  };
  const rules = chance.happens(0.3) ? [rule(), rule()] : [rule()];
  return { successPolicy: { rules } };
}

function drawReplacement(chance: Chance, hasPolicy: boolean, perIndex: boolean): Fields {
  if (hasPolicy) {
    const rules = Array.from({ length: chance.between(1, 3) }, () => drawRule(chance, perIndex));
    return { podFailurePolicy: { rules } };
  }
  const podReplacementPolicy = chance.pick(["Failed", "TerminatingOrFailed", undefined]);
  return podReplacementPolicy === undefined ? {} : { podReplacementPolicy };
}

function drawRule(chance: Chance, perIndex: boolean): PodFailurePolicyRule {
  const actions = ["Ignore", "Ignore", "Count", "FailJob", ...(perIndex ? ["FailIndex"] : [])];
  const action = chance.pick(actions);
  if (chance.happens(0.4)) {
    return { action, onPodConditions: [{ type: "DisruptionTarget", status: "True" }] };
  }
  const operator = chance.happens(0.8) ? "In" : "NotIn";
  const values = EXIT_CODES.filter(() => chance.happens(0.4));
  const onExitCodes = { operator, values: values.length > 0 ? values : [42] };
  return { action, onExitCodes } as PodFailurePolicyRule;
}
