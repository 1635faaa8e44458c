/** Pods on a node and the facts known about them, for tests of the agent's rules. */

import type { ContainerFacts, PodFacts } from "../../src/agent/pod/facts.ts";
import type { Exit, Running } from "../../src/agent/runtimes/runtime.ts";
import type { Pod } from "../../src/api/generated/core.ts";
import { millisecondsOf } from "../../src/api/time.ts";
import { storedPod } from "./pod.ts";

export const T0 = millisecondsOf("2026-01-01T00:00:00Z");
export const UID = "u";

type Fields = { readonly [key: string]: unknown };

/** The time that many seconds after the pod was accepted. */
export function at(seconds: number): number {
  return T0 + seconds * 1000;
}

export function containerNamed(name: string, fields: Fields = {}): Fields {
  return { name, image: "busybox:1.36", ...fields };
}

export interface BoundPodFields {
  readonly metadata?: Fields;
  readonly spec?: Fields;
  readonly status?: Fields;
}

/** A pod of one container "c" that never restarts, bound to a node. */
export function boundPod({ metadata = {}, spec = {}, status = {} }: BoundPodFields = {}): Pod {
  return storedPod({
    metadata: { name: "p", uid: UID, generation: 1, ...metadata },
    spec: { nodeName: "n", restartPolicy: "Never", ...spec },
    status: {
      phase: "Pending",
      qosClass: "BestEffort",
      conditions: [
        {
          type: "PodScheduled",
          status: "True",
          lastTransitionTime: "2026-01-01T00:00:00Z",
          observedGeneration: 1,
        },
      ],
      ...status,
    },
  });
}

/** The metadata of a pod that was deleted that many seconds after it was accepted. */
export function deletion(seconds: number, graceSeconds = 30): Fields {
  return {
    deletionTimestamp: new Date(at(seconds + graceSeconds)).toISOString().replace(/\.\d+Z/, "Z"),
    deletionGracePeriodSeconds: graceSeconds,
    generation: 2,
  };
}

export function accepted(
  containers: PodFacts["containers"] = {},
  fields: Partial<PodFacts> = {},
): PodFacts {
  const addresses = { hostIp: "10.0.0.1", podIp: "10.0.0.2" };
  return { acceptedMs: T0, addresses, containers, ...fields };
}

export function running(container = "c", { attempt = 0, seconds = 1 } = {}): Running {
  return { id: { podUid: UID, container, attempt }, pid: 7, startedMs: at(seconds) };
}

export function exited(
  exitCode: number,
  fields: { container?: string; attempt?: number; from?: number; to?: number } & Partial<Exit> = {},
): Exit {
  const { container = "c", attempt = 0, from = 1, to = 2, ...exit } = fields;
  const id = { podUid: UID, container, attempt };
  return { id, exitCode, startedMs: at(from), finishedMs: at(to), ...exit };
}

export function runs(container = "c", fields: Partial<ContainerFacts> = {}): ContainerFacts {
  const run = running(container);
  return { attempt: run.id.attempt, running: run, ...fields };
}

export function ended(exit: Exit, fields: Partial<ContainerFacts> = {}): ContainerFacts {
  return { attempt: exit.id.attempt + 1, last: exit, ...fields };
}
