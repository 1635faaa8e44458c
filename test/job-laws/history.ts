/** The history of one Job: its spec, and the steps of users, nodes and the controller. */
import type { Json } from "../../src/api/object.ts";
import { JobWorld, type SyncFields, type Witness } from "./world.ts";

export type Spec = { [field: string]: Json };

/** Something that happens to one of the existing pods. */
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

/** Scales an Indexed Job elastically: completions and parallelism are both set. */
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
