/** Histories by chance: a spec of any shape, and what users, nodes and crashes do to it. */
import fc from "fast-check";
import type { Json } from "../../src/api/object.ts";
import { POD_SPEC } from "./job.ts";
import { CUTS, JobWorld, type SyncFields, type Witness } from "./job-world.ts";

export type Spec = { [field: string]: Json };

/** Something happens to one of the pods there are. */
type PodStep =
  | { readonly kind: "end"; readonly at: number; readonly exitCode: number }
  | { readonly kind: "run" | "restart container" | "delete" | "disrupt"; readonly at: number };

export type Step =
  | PodStep
  | ({ readonly kind: "sync" } & SyncFields)
  | { readonly kind: "stranger"; readonly index: number }
  | { readonly kind: "wait"; readonly seconds: number }
  | { readonly kind: "scale"; readonly to: number }
  | { readonly kind: "suspend" | "resume" | "restart" | "delete job" };

export interface History {
  readonly spec: Spec;
  readonly steps: readonly Step[];
}

/** Plays a history from the beginning; the witness sees every sync. */
export function play({ spec, steps }: History, witness: Witness = () => {}): JobWorld {
  const world = new JobWorld(spec, witness);
  for (const step of steps) take(world, step);
  return world;
}

export function take(world: JobWorld, step: Step): void {
  switch (step.kind) {
    case "sync":
      world.sync(step);
      return;
    case "stranger":
      world.addPod(isIndexed(world) && step.index >= 0 ? step.index : undefined);
      return;
    case "wait":
      world.nowMs += step.seconds * 1000;
      return;
    case "scale":
      scale(world, step.to);
      return;
    case "suspend":
    case "resume":
      world.edit({ suspend: step.kind === "suspend" });
      return;
    case "restart":
      world.restart();
      return;
    case "delete job":
      world.deleteJob();
      return;
    default:
      happen(world, step);
  }
}

/** An Indexed Job is as large as it is parallel from then on. */
export function scale(world: JobWorld, to: number): void {
  world.edit(isIndexed(world) ? { completions: to, parallelism: to } : { parallelism: to });
}

function isIndexed({ job }: JobWorld): boolean {
  return job.spec.completionMode === "Indexed";
}

function happen(world: JobWorld, step: PodStep): void {
  const uids = [...world.pods.keys()];
  const uid = uids[step.at % Math.max(1, uids.length)] ?? "";
  switch (step.kind) {
    case "run":
      world.setStatus(uid, { phase: "Running", conditions: [{ type: "Ready", status: "True" }] });
      return;
    case "restart container":
      world.setStatus(uid, { phase: "Running", containerStatuses: [RESTARTED] });
      return;
    case "delete":
      world.deletePod(uid);
      return;
    case "disrupt":
      world.endPod(uid, 137, "DisruptionTarget");
      return;
    default:
      world.endPod(uid, step.exitCode);
  }
}

const RESTARTED = {
  name: "c",
  state: { running: {} },
  lastState: {},
  ready: true,
  restartCount: 2,
  image: "",
  imageID: "",
};

const at = fc.nat(30);

const podStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("end" as const),
      at,
      exitCode: fc.constantFrom(0, 0, 0, 1, 7, 9),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("run", "run", "delete", "disrupt", "restart container"),
      at,
    }),
  },
);

const syncStep: fc.Arbitrary<Step> = fc
  .record({
    kind: fc.constant("sync" as const),
    refused: fc.constantFrom(0, 0, 0, 0, 1),
    cut: fc.constantFrom(undefined, undefined, undefined, undefined, ...CUTS),
    isCrash: fc.boolean(),
  })
  .map(({ cut, ...fields }) => (cut === undefined ? fields : { ...fields, cut }));

const rareStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("stranger" as const), index: fc.integer({ min: -1, max: 5 }) }),
  fc.record({ kind: fc.constant("scale" as const), to: fc.nat(6) }),
  fc.record({ kind: fc.constantFrom("suspend", "resume", "resume", "resume", "restart") }),
  fc.record({ kind: fc.constantFrom("restart", "restart", "restart", "restart", "delete job") }),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: syncStep },
  { weight: 10, arbitrary: podStep },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("wait" as const), seconds: fc.nat(30) }),
  },
  { weight: 2, arbitrary: rareStep },
);

/** Absent so many times for each time it is there. */
const maybe = <T>(arbitrary: fc.Arbitrary<T>, absences = 1) =>
  fc.oneof({ weight: absences, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const exitCodes = fc.record({
  operator: fc.constantFrom("In", "NotIn"),
  values: fc.constantFrom([1], [7], [1, 9], [7, 137]),
});

const failureRule = fc
  .record({
    action: fc.constantFrom("FailJob", "FailIndex", "Ignore", "Ignore", "Count"),
    onExitCodes: maybe(exitCodes),
  })
  .map(({ action, onExitCodes }) => ({
    action,
    ...(onExitCodes ? { onExitCodes } : { onPodConditions: DISRUPTED }),
  }));

const DISRUPTED = [{ type: "DisruptionTarget", status: "True" }];

const successRule = fc.record(
  {
    succeededIndexes: fc.constantFrom("0", "1", "0-2", "1,3"),
    succeededCount: fc.integer({ min: 1, max: 2 }),
  },
  { requiredKeys: [] },
);

const fields = fc.record({
  shape: fc.constantFrom("Indexed", "Indexed", "Indexed", "NonIndexed", "work queue"),
  completions: fc.constantFrom(0, 1, 2, 2, 3, 3, 4, 5, 5),
  parallelism: fc.constantFrom(0, 1, 1, 2, 2, 3, 4, 5),
  backoffLimit: fc.nat(6),
  backoffLimitPerIndex: maybe(fc.nat(2)),
  maxFailedIndexes: maybe(fc.nat(2)),
  failureRules: maybe(fc.array(failureRule, { maxLength: 3 })),
  successRules: maybe(fc.array(successRule, { minLength: 1, maxLength: 2 }), 2),
  podReplacementPolicy: fc.constantFrom("Failed", "TerminatingOrFailed"),
  restartPolicy: fc.constantFrom("Never", "Never", "OnFailure"),
  activeDeadlineSeconds: maybe(fc.integer({ min: 20, max: 90 }), 4),
  suspend: fc.constantFrom(...Array.from({ length: 9 }, () => false), true),
});

type Fields = typeof fields extends fc.Arbitrary<infer T> ? T : never;

/** Only what the API accepts. */
function specOf(chosen: Fields): Spec {
  const { shape, completions, parallelism, suspend, backoffLimitPerIndex: perIndex } = chosen;
  const isEach = shape === "Indexed" && perIndex !== undefined;
  const rules = chosen.failureRules?.filter(({ action }) => isEach || action !== "FailIndex");
  const restartPolicy = rules ? "Never" : chosen.restartPolicy;
  const spec = {
    ...(shape === "Indexed" ? { completionMode: "Indexed" } : {}),
    ...(shape === "work queue" ? {} : { completions }),
    parallelism,
    suspend,
    ...(isEach ? { backoffLimitPerIndex: perIndex } : { backoffLimit: chosen.backoffLimit }),
    ...(isEach && chosen.maxFailedIndexes !== undefined
      ? { maxFailedIndexes: Math.min(completions, chosen.maxFailedIndexes) }
      : {}),
    ...(rules
      ? { podFailurePolicy: { rules } }
      : { podReplacementPolicy: chosen.podReplacementPolicy }),
    ...(shape === "Indexed" && chosen.successRules
      ? { successPolicy: { rules: chosen.successRules } }
      : {}),
    ...(chosen.activeDeadlineSeconds === undefined
      ? {}
      : { activeDeadlineSeconds: chosen.activeDeadlineSeconds }),
    template: { spec: { ...POD_SPEC, restartPolicy } },
  };
  return spec as Spec;
}

export const history: fc.Arbitrary<History> = fc.record({
  spec: fields.map(specOf),
  steps: fc.array(step, { maxLength: 48, size: "max" }),
});
