/** Laws of the life of a pod, whatever it is made of and whatever happens to it. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { containerNamed, T0 } from "../../../test/builders/pod-facts.ts";
import {
  type Fate,
  type PodStory,
  PodWorld,
  type Witness,
} from "../../../test/builders/pod-world.ts";
import { formatFinding } from "../../api/finding.ts";
import type { Container, PodStatus } from "../../api/generated/core.ts";
import { isSidecar } from "../../api/sidecar.ts";
import { validatePodStatusUpdate } from "../../kinds/pod/validate-status.ts";
import { isTerminal } from "./endings.ts";
import { planPod } from "./plan.ts";
import { composePodStatus } from "./status.ts";

const RUNS = Number(process.env["FC_RUNS"] ?? 100);
const sometimes = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

const fate: fc.Arbitrary<Fate> = fc
  .record({
    exitCode: fc.constantFrom(0, 0, 1, 42),
    runSeconds: fc.constantFrom(0, 1, 5, 30, 700, 4000),
    startMs: fc.constantFrom(0, 1, 500),
    stopMs: sometimes(fc.constantFrom(0, 100, 3000)),
    isRefused: fc.constantFrom(false, false, false, true),
    hookMs: sometimes(fc.constantFrom(0, 1, 4000)),
    failsHooks: fc.constantFrom(false, false, true),
  })
  .map(({ stopMs, hookMs, ...rest }) => ({
    ...rest,
    ...(stopMs === undefined ? {} : { stopMs }),
    ...(hookMs === undefined ? {} : { hookMs }),
  }));

const handler = { exec: { command: ["true"] } };
const lifecycle = fc.constantFrom(
  {},
  {},
  { lifecycle: { postStart: handler } },
  { lifecycle: { preStop: handler } },
  { lifecycle: { postStart: handler, preStop: handler } },
);

const policy = fc.constantFrom("Always", "OnFailure", "Never");
const rules = fc.record({
  action: fc.constantFrom("Restart", "RestartAllContainers"),
  exitCodes: fc.record({
    operator: fc.constantFrom("In", "NotIn"),
    values: fc.constantFrom([42], [0, 42], [1]),
  }),
});
const main = fc
  .record({ restartPolicy: sometimes(policy), rule: sometimes(rules), hooks: lifecycle })
  .map(({ restartPolicy, rule, hooks }) => ({
    ...hooks,
    ...(restartPolicy === undefined ? {} : { restartPolicy }),
    ...(rule && restartPolicy !== undefined ? { restartPolicyRules: [rule] } : {}),
  }));
const sidecar = lifecycle.map((hooks) => ({ restartPolicy: "Always", ...hooks }));
const init = fc.oneof(fc.constant({}), fc.constant({}), sidecar);
const seconds = fc.constantFrom(0, 1, 2, 6, 31, 45, 900);

const story: fc.Arbitrary<PodStory> = fc
  .record({
    restartPolicy: policy,
    inits: fc.array(init, { maxLength: 3 }),
    mains: fc.array(main, { minLength: 1, maxLength: 2 }),
    fates: fc.array(fc.array(fate, { minLength: 1, maxLength: 3 }), { minLength: 5, maxLength: 5 }),
    activeDeadlineSeconds: sometimes(fc.constantFrom(1, 20, 1000)),
    deletedAtSeconds: fc.constantFrom(0, 3, 40, 2000, 20_000),
    graceSeconds: fc.constantFrom(1, 2, 30),
    evictedAtSeconds: sometimes(seconds),
    crashesAtSeconds: fc.array(seconds, { maxLength: 3 }),
    tellAfterMs: fc.constantFrom(0, 10, 5000),
  })
  .map(
    ({ restartPolicy, inits, mains, fates, activeDeadlineSeconds, evictedAtSeconds, ...rest }) => {
      const initContainers = inits.map((fields, at) => containerNamed(`i${at}`, fields));
      const containers = mains.map((fields, at) => containerNamed(`c${at}`, fields));
      const names = ["i0", "i1", "i2", "c0", "c1"];
      return {
        spec: {
          restartPolicy,
          initContainers,
          containers,
          ...(activeDeadlineSeconds === undefined ? {} : { activeDeadlineSeconds }),
        },
        fates: Object.fromEntries(names.map((name, at) => [name, fates[at] ?? []])),
        ...(evictedAtSeconds === undefined ? {} : { evictedAtSeconds }),
        ...rest,
      };
    },
  );

function testLaw(name: string, witness: Witness & { ends?(world: PodWorld): void }): void {
  test(name, () => {
    fc.assert(
      fc.property(story, (told) => {
        const world = new PodWorld(told, witness).run();
        witness.ends?.(world);
      }),
      { numRuns: RUNS },
    );
  });
}

const conditionIn = ({ conditions = [] }: PodStatus, type: string) =>
  conditions.find((each) => each.type === type)?.status;

testLaw("a deleted pod is over and removed in the end", {
  ends: ({ isRemoved, pod, processes }) => {
    expect(isRemoved).toBe(true);
    expect(isTerminal(pod.status.phase)).toBe(true);
    expect(processes.size).toBe(0);
  },
});

testLaw("grace is kept, and two seconds more for every sidecar", {
  ends: ({ story: told, nowMs, containers }) => {
    const slackSeconds = 2 + 3 * containers.length + told.tellAfterMs / 1000;
    const deletedMs = T0 + told.deletedAtSeconds * 1000;
    // Forgetful agents ask again, with all of the grace.
    const times = 1 + told.crashesAtSeconds.length;
    const graceSeconds = Math.max(2, told.graceSeconds);
    expect(nowMs - deletedMs).toBeLessThanOrEqual(times * (graceSeconds + slackSeconds) * 1000);
  },
});

testLaw("what is over stays over, and is not ready", {
  tells: ({ pod }, next) => {
    if (isTerminal(pod.status.phase)) expect(next.phase).toBe(pod.status.phase);
    if (!isTerminal(next.phase)) return;
    expect(conditionIn(next, "Ready")).toBe("False");
    expect(conditionIn(next, "ContainersReady")).toBe("False");
  },
});

testLaw("nothing is over while a process lives", {
  tells: ({ processes }, next) => {
    if (isTerminal(next.phase)) expect([...processes.keys()]).toEqual([]);
  },
});

testLaw("no container is started while it runs, and no run twice", {
  acts: (world, action) => {
    if (action.kind !== "start") return;
    expect(world.isAlive(action.container)).toBe(false);
    expect(world.starting.has(action.container)).toBe(false);
    const last = world.lastEnd(action.container)?.id.attempt ?? -1;
    expect(action.attempt).toBe(last + 1);
  },
});

testLaw("init containers succeed one after the other, and before the app", {
  acts: (world, action) => {
    if (action.kind !== "start") return;
    const place = world.containers.findIndex(({ name }) => name === action.container);
    const inits = world.pod.spec.initContainers ?? [];
    if (place < inits.length && isSidecar(inits[place] as Container)) return;
    for (const { name } of inits.slice(0, place).filter((each) => !isSidecar(each))) {
      expect(world.isAlive(name)).toBe(false);
      expect(world.lastEnd(name)?.exitCode).toBe(0);
    }
  },
});

testLaw("sidecars are stopped last, in reverse order, unless the grace is over", {
  acts: (world, action) => {
    if (action.kind !== "stop" || ["restartAll", "postStart"].includes(action.why)) return;
    const sinceMs = world.facts.stoppingSinceMs ?? world.nowMs;
    if (world.nowMs - sinceMs >= 2000 && action.graceSeconds === 2) return;
    const inits = world.pod.spec.initContainers ?? [];
    for (const name of action.containers) {
      const place = inits.findIndex((each) => each.name === name && isSidecar(each));
      if (place < 0) continue;
      const later = [...inits.slice(place + 1), ...(world.pod.spec.containers ?? [])];
      expect(later.filter((each) => world.isAlive(each.name))).toEqual([]);
    }
  },
});

testLaw("nothing is started once the pod has to end", {
  acts: ({ pod }, action) => {
    const hasToEnd = pod.metadata.deletionTimestamp !== undefined || isTerminal(pod.status.phase);
    if (hasToEnd) expect(action.kind).not.toBe("start");
  },
});

testLaw("the server takes every status", {
  tells: ({ pod }, status) => {
    const findings = validatePodStatusUpdate({ ...pod, status }, pod);
    expect(findings.map(formatFinding)).toEqual([]);
  },
});

testLaw("at rest there is nothing to do and nothing to say", {
  ends: ({ pod, facts, nowMs }) => {
    const gone = { ...pod, metadata: { ...pod.metadata, deletionGracePeriodSeconds: 0 } };
    expect(planPod(gone, facts, nowMs + 1e9)).toEqual({ actions: [] });
    expect(composePodStatus(gone, facts, nowMs + 1e9)).toBe(gone.status);
  },
});

test("a task that succeeds is told of three times: accepted, running, succeeded", () => {
  const phases: (string | undefined)[] = [];
  const task: PodStory = {
    spec: {},
    fates: { c: [{ exitCode: 0, runSeconds: 5, startMs: 3 }] },
    deletedAtSeconds: 100,
    graceSeconds: 30,
    crashesAtSeconds: [],
    tellAfterMs: 0,
  };
  const tells = (_world: PodWorld, { phase }: PodStatus) => {
    phases.push(phase);
  };
  new PodWorld(task, { tells }).run();
  expect(phases.slice(0, 3)).toEqual(["Pending", "Running", "Succeeded"]);
});
