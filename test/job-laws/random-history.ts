/** The history of a seed: a spec of any shape, and events from users, nodes and crashes. */
import { POD_SPEC } from "../builders/job.ts";
import { Chance } from "../simulation/chance.ts";
import type { History, Spec, Step } from "./history.ts";
import { CUTS } from "./world.ts";

const MOST_STEPS = 48;

/** The same seed always gives the same history, as long as this file does not change. */
export function historyOf(seed: number): History {
  const chance = new Chance(seed, "history of a Job");
  const spec = randomSpec(chance);
  const length = chance.between(0, MOST_STEPS);
  return { spec, steps: Array.from({ length }, () => randomStep(chance)) };
}

function randomStep(chance: Chance): Step {
  const kind = chance.between(1, 23);
  if (kind <= 8) return randomSync(chance);
  if (kind <= 18) return randomPodStep(chance);
  if (kind <= 21) return randomWait(chance);
  return randomRareStep(chance);
}

function randomSync(chance: Chance): Step {
  const cut = chance.pick([undefined, undefined, undefined, undefined, ...CUTS]);
  const fields = { refused: chance.pick([0, 0, 0, 0, 1]), isCrash: chance.happens(0.5) };
  return { kind: "sync", ...fields, ...(cut === undefined ? {} : { cut }) };
}

function randomPodStep(chance: Chance): Step {
  const at = chance.between(0, 30);
  if (chance.happens(0.6)) {
    return { kind: "end", at, exitCode: chance.pick([0, 0, 0, 1, 7, 9]) };
  }
  return { kind: chance.pick(["run", "run", "delete", "disrupt", "restart container"]), at };
}

/** Times in objects have whole seconds; the clock has milliseconds. */
function randomWait(chance: Chance): Step {
  const seconds = chance.between(0, 30) + chance.pick([0, 0, 0, 0.25, 0.5]);
  return { kind: "wait", seconds };
}

function randomRareStep(chance: Chance): Step {
  switch (chance.between(1, 4)) {
    case 1:
      return { kind: "stranger", index: chance.between(-1, 5) };
    case 2:
      return { kind: "scale", to: chance.between(0, 6) };
    case 3:
      return { kind: chance.pick(["suspend", "resume", "resume", "resume", "restart"]) };
    default:
      return { kind: chance.pick(["restart", "restart", "restart", "restart", "delete job"]) };
  }
}

const COMPLETIONS = [0, 1, 2, 2, 3, 3, 4, 5, 5] as const;
const PARALLELISM = [0, 1, 1, 2, 2, 3, 4, 5] as const;

/** Only combinations of fields that the API accepts. */
function randomSpec(chance: Chance): Spec {
  const shape = chance.pick(["Indexed", "Indexed", "Indexed", "NonIndexed", "work queue"]);
  const isIndexed = shape === "Indexed";
  const completions = chance.pick(COMPLETIONS);
  const limitsEachIndex = isIndexed && chance.happens(0.5);
  const rules = chance.happens(0.5) ? randomFailureRules(chance, limitsEachIndex) : undefined;
  return {
    ...(isIndexed ? { completionMode: "Indexed" } : {}),
    ...(shape === "work queue" ? {} : { completions }),
    parallelism: chance.pick(PARALLELISM),
    suspend: chance.happens(0.1),
    ...(limitsEachIndex
      ? { backoffLimitPerIndex: chance.between(0, 2) }
      : { backoffLimit: chance.between(0, 6) }),
    ...(limitsEachIndex && chance.happens(0.5)
      ? { maxFailedIndexes: Math.min(completions, chance.between(0, 2)) }
      : {}),
    ...(rules
      ? { podFailurePolicy: { rules } }
      : { podReplacementPolicy: chance.pick(["Failed", "TerminatingOrFailed"]) }),
    ...(isIndexed && completions > 0 && chance.happens(1 / 3)
      ? { successPolicy: { rules: randomSuccessRules(chance, completions) } }
      : {}),
    ...(chance.happens(0.2) ? { activeDeadlineSeconds: chance.between(20, 90) } : {}),
    template: {
      spec: {
        ...POD_SPEC,
        restartPolicy: rules ? "Never" : chance.pick(["Never", "Never", "OnFailure"]),
      },
    },
  };
}

function randomFailureRules(chance: Chance, limitsEachIndex: boolean): Spec[] {
  const actions = ["FailJob", "Ignore", "Ignore", "Count"];
  if (limitsEachIndex) actions.push("FailIndex");
  return Array.from({ length: chance.between(0, 3) }, () => ({
    action: chance.pick(actions),
    ...(chance.happens(0.5)
      ? { onExitCodes: randomExitCodes(chance) }
      : { onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }),
  }));
}

function randomExitCodes(chance: Chance): Spec {
  return {
    operator: chance.pick(["In", "NotIn"]),
    values: chance.pick([[1], [7], [1, 9], [7, 137]]),
  };
}

const SUCCEEDED_INDEXES = [
  { text: "0", size: 1, completions: 1 },
  { text: "1", size: 1, completions: 2 },
  { text: "0-2", size: 3, completions: 3 },
  { text: "1,3", size: 2, completions: 4 },
] as const;

/** No rule names an index that the Job does not have, or more indexes than it has. */
function randomSuccessRules(chance: Chance, completions: number): Spec[] {
  const possible = SUCCEEDED_INDEXES.filter((each) => each.completions <= completions);
  return Array.from({ length: chance.between(1, 2) }, () => {
    const has = chance.pick(["indexes", "count", "both"]);
    const indexes = has === "count" ? undefined : chance.pick(possible);
    const most = Math.min(2, indexes?.size ?? completions);
    return {
      ...(indexes ? { succeededIndexes: indexes.text } : {}),
      ...(has === "indexes" ? {} : { succeededCount: chance.between(1, most) }),
    };
  });
}
