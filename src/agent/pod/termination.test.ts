import { describe } from "vitest";
import {
  accepted,
  at,
  containerNamed,
  deletion,
  ended,
  exited,
  runs,
} from "../../../test/builders/pod-facts.ts";
import { testPlans } from "../../../test/builders/pod-plan.ts";

const deleted = (graceSeconds?: number) => ({ metadata: deletion(5, graceSeconds) });
const since = { stoppingSinceMs: at(5) };
const signalled = { ...since, signalledMs: at(5) };
const stopping = (fields = {}) => accepted({ c: runs("c", { ...signalled, ...fields }) }, since);

describe("a deleted pod", () => {
  const always = { ...deleted(), spec: { restartPolicy: "Always" } };
  testPlans([
    [
      "is asked to end",
      deleted(),
      accepted({ c: runs() }),
      5,
      "stop c in 30: deleted; again in 30",
    ],
    [
      "has 2 s at least",
      deleted(1),
      accepted({ c: runs() }),
      5,
      "stop c in 2: deleted; again in 2",
    ],
    ["has its grace", deleted(), stopping(), 34, "again in 1"],
    ["is killed after it", deleted(), stopping(), 35, "kill c; again in 5"],
    ["has less when deleted again with less", deleted(3), stopping(), 8, "kill c; again in 5"],
    ["is not killed twice at once", deleted(), stopping({ killedMs: at(35) }), 36, "again in 4"],
    [
      "is killed again if it lives",
      deleted(),
      stopping({ killedMs: at(35) }),
      40,
      "kill c; again in 5",
    ],
    [
      "is stopped when it has started",
      deleted(),
      accepted({ c: { attempt: 0, isStarting: true } }),
      5,
      "",
    ],
    ["is not started", deleted(), accepted(), 5, ""],
    ["is not restarted", always, accepted({ c: ended(exited(1)) }), 6, ""],
    [
      "has 2 s when the object is gone",
      {},
      accepted({ c: runs() }, { isRemoved: true }),
      5,
      "stop c in 2: deleted; again in 2",
    ],
  ]);
});

describe("a preStop hook", () => {
  const lifecycle = { preStop: { exec: { command: ["true"] } } };
  const spec = { containers: [containerNamed("c", { lifecycle })] };
  const hooked = { ...deleted(), spec };
  const inHook = (preStop: "running" | "over") =>
    accepted({ c: runs("c", { ...since, preStop }) }, since);
  const both = {
    ...hooked,
    spec: {
      containers: [containerNamed("c"), containerNamed("d", { lifecycle })],
      initContainers: [containerNamed("s", { lifecycle, restartPolicy: "Always" })],
    },
  };
  const evicted = { reason: "Terminated", message: "m", sinceMs: at(4), graceSeconds: 5 };
  testPlans([
    ["comes first", hooked, accepted({ c: runs() }), 5, "preStop c in 30: deleted; again in 30"],
    ["once", hooked, inHook("running"), 8, "again in 27"],
    ["then the signal", hooked, inHook("over"), 9, "stop c in 26: deleted; again in 26"],
    ["is part of the grace", hooked, stopping({ signalledMs: at(9) }), 35, "kill c; again in 5"],
    [
      "that never ends is given up",
      hooked,
      inHook("running"),
      35,
      "stop c in 2: deleted; again in 2",
    ],
    ["may use it up and leaves 2 s", hooked, stopping({ signalledMs: at(35) }), 36, "again in 1"],
    ["but no more", hooked, stopping({ signalledMs: at(35) }), 37, "kill c; again in 5"],
    [
      "needs a grace",
      { ...hooked, metadata: deletion(5, 0) },
      accepted({ c: runs() }),
      5,
      "stop c in 2: deleted; again in 2",
    ],
    [
      "does not wait for the turn of its container",
      both,
      accepted({ c: runs(), d: runs("d"), s: runs("s") }),
      5,
      "preStop s d in 30: deleted; stop c in 30: deleted; again in 30",
    ],
    [
      "comes also when the node ends",
      { spec },
      accepted({ c: runs() }, { eviction: evicted }),
      4,
      "preStop c in 5: evicted; again in 5",
    ],
  ]);
});

describe("a postStart hook", () => {
  const lifecycle = { postStart: { exec: { command: ["true"] } } };
  const stops = { ...lifecycle, preStop: { sleep: { seconds: 1 } } };
  const pod = (fields: object) => ({
    spec: { containers: [containerNamed("c", { lifecycle: fields }), containerNamed("d")] },
  });
  const hooked = pod(lifecycle);
  const hook = (postStart: "due" | "running" | "failed", fields = {}) =>
    accepted({ c: runs("c", { postStart, ...fields }), d: runs("d") });
  const alone = (fields: object) => accepted({ c: { attempt: 0, ...fields } });
  const asked = { stoppingSinceMs: at(3), signalledMs: at(3) };
  testPlans([
    ["holds those behind its container", hooked, accepted(), 0, "start c/0"],
    ["until that has begun", hooked, alone({ isStarting: true }), 0, ""],
    ["and the hook", hooked, accepted({ c: runs("c", { postStart: "due" }) }), 2, "postStart c"],
    ["is through", hooked, accepted({ c: runs("c", { postStart: "running" }) }), 2, ""],
    ["which lets them go", hooked, accepted({ c: runs() }), 2, "start d/0"],
    ["begins when there is a process", hooked, hook("due"), 2, "postStart c"],
    ["begins once", hooked, hook("running"), 2, ""],
    [
      "that fails ends its container",
      hooked,
      hook("failed"),
      3,
      "stop c in 30: postStart; again in 30",
    ],
    ["which has its grace", hooked, hook("failed", asked), 10, "again in 23"],
    ["and no more", hooked, hook("failed", asked), 33, "kill c; again in 5"],
    [
      "that fails leads to the other hook",
      pod(stops),
      hook("failed"),
      3,
      "preStop c in 30: postStart; again in 30",
    ],
    [
      "does not keep a pod that is deleted",
      { ...hooked, ...deleted() },
      hook("running"),
      5,
      "stop c d in 30: deleted; again in 30",
    ],
  ]);
});

describe("sidecars", () => {
  const sidecar = (name: string) => containerNamed(name, { restartPolicy: "Always" });
  const spec = { initContainers: [sidecar("s"), sidecar("t")] };
  const pod = { ...deleted(), spec };
  const [s, t, c] = [runs("s"), runs("t"), ended(exited(0))];
  const broken = { s, i: ended(exited(1, { container: "i" })) };
  const asked = { stoppingSinceMs: at(2), signalledMs: at(2) };
  testPlans([
    [
      "wait for the app",
      pod,
      accepted({ s, t, c: runs() }),
      5,
      "stop c in 30: deleted; again in 30",
    ],
    [
      "go last to first",
      pod,
      accepted({ s, t, c }, since),
      15,
      "stop t in 20: deleted; again in 20",
    ],
    ["have 2 s each", pod, accepted({ s, c }, since), 40, "stop s in 2: deleted; again in 2"],
    [
      "go when the app is through",
      { spec },
      accepted({ s, t, c }),
      2,
      "stop t in 30: sidecar; again in 30",
    ],
    [
      "are killed if need be",
      { spec },
      accepted({ s: { ...s, ...asked }, t: { ...t, ...asked }, c }, since),
      35,
      "kill s t; again in 5",
    ],
    [
      "wait for nobody when the grace is over",
      pod,
      accepted({ s, t, c: runs("c", signalled) }, since),
      35,
      "stop s t in 2: deleted; kill c; again in 2",
    ],
    [
      "go when initialization failed",
      { spec: { initContainers: [sidecar("s"), containerNamed("i")] } },
      accepted(broken),
      2,
      "stop s in 30: sidecar; again in 30",
    ],
  ]);
});

describe("a pod ends", () => {
  const spec = { activeDeadlineSeconds: 10, terminationGracePeriodSeconds: 7 };
  const eviction = { reason: "Terminated", message: "m", sinceMs: at(4), graceSeconds: 5 };
  const over = { status: { phase: "Failed" } };
  testPlans([
    ["not before its deadline", { spec }, accepted({ c: runs() }), 4, "again in 6"],
    ["at its deadline", { spec }, accepted({ c: runs() }), 10, "stop c in 7: deadline; again in 7"],
    ["at its deadline also if it never ran", { spec }, accepted(), 10, ""],
    [
      "with its node",
      {},
      accepted({ c: runs() }, { eviction }),
      4,
      "stop c in 5: evicted; again in 5",
    ],
    [
      "when others call it over",
      over,
      accepted({ c: runs() }),
      4,
      "stop c in 30: finished; again in 30",
    ],
  ]);
});
