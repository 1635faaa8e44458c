import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AgentAtWork, ofIndex } from "../../test/builders/agent.ts";
import type { ConfigMap } from "../api/generated/core.ts";
import { configMaps, events, pods } from "../api/resources.ts";
import { RunRefused } from "./runtimes/runtime.ts";

let world: AgentAtWork;

beforeEach(async () => {
  world = await AgentAtWork.start();
});

afterEach(() => world.crash());

const MAIN = { name: "c", image: "i", command: ["x"] };
const INIT = { ...MAIN, name: "i" };

describe("what a node tells of a container", () => {
  test("that it was created and started, each under the name of its place", async () => {
    await world.create("p", { spec: { initContainers: [INIT], containers: [MAIN] } });
    const { items } = await world.client.list(events, { namespace: "default" });
    const told = items.map(({ reason, message, involvedObject }) => {
      return `${reason}: ${message} ${involvedObject.fieldPath}`;
    });
    expect(told).toEqual([
      "Created: Container created spec.initContainers{i}",
      "Started: Container started spec.initContainers{i}",
    ]);
  });

  test("that it is held back, once for each time", async () => {
    const uid = await world.create("p", { spec: { restartPolicy: "Always" } });
    await world.end(`${uid}/c/0`, 1);
    await world.end(`${uid}/c/1`, 1);
    const message = `Back-off restarting failed container c in pod p_default(${uid})`;
    const backoffs = async () => (await world.events()).filter((event) => /^BackOff/.test(event));
    expect(await backoffs()).toEqual([`BackOff: ${message}`]);
    await world.crash();
    await world.open();
    await world.pass(1_000);
    expect(await backoffs()).toHaveLength(1);
  });

  test("that its time is up", async () => {
    const uid = await world.create("p", { spec: { activeDeadlineSeconds: 5 } });
    await world.pass(5_000);
    await world.end(`${uid}/c/0`, 143);
    const message = "Pod was active on the node longer than the specified deadline";
    expect(await world.events()).toContain(`DeadlineExceeded: ${message}`);
  });

  test("of Jobs to the fiftieth at once, of failures and of pods by hand always", async () => {
    for (let index = 0; index < 60; index++) {
      await world.create(`p${index}`, { metadata: ofIndex(index) });
    }
    const started = async () =>
      (await world.events()).filter((event) => event.startsWith("Started"));
    expect(await started()).toHaveLength(50);
    await world.create("by-hand");
    expect(await started()).toHaveLength(51);
    world.runtime.failure = new RunRefused(127, "StartError", "no such command");
    await world.create("late", { metadata: ofIndex(60) });
    expect(await world.events()).toContain("Failed: Error: no such command");
  });
});

describe("a run that prints more than it may", () => {
  const limit = (podUid: string) =>
    ({ kind: "limit", id: { podUid, container: "c", attempt: 0 }, maxBytes: 100 }) as const;
  const printed = "container c printed more than the 100 bytes that are kept of one run";

  test("goes on unheard, and is told of", async () => {
    const uid = await world.create("p");
    world.tellLogNews(limit(uid));
    const what = "what it prints from here on is discarded";
    expect(await world.events()).toContain(`LogLimitExceeded: ${printed}: ${what}`);
    await world.end(`${uid}/c/0`);
    expect(await world.phaseOf("p")).toBe("Succeeded");
  });

  describe("and may not go on", () => {
    beforeEach(async () => {
      await world.crash();
      world.onLogLimit = "fail";
      await world.open();
    });

    test("is killed, and says why", async () => {
      const uid = await world.create("p");
      world.tellLogNews(limit(uid));
      expect(world.runtime.signals).toEqual([{ run: `${uid}/c/0`, signal: "KILL" }]);
      await world.end(`${uid}/c/0`, 137);
      const message = `${printed}: it is failed`;
      expect(await world.stateOf("p")).toMatchObject({
        terminated: { exitCode: 137, reason: "LogLimitExceeded", message },
      });
      expect(await world.events()).toContain(`LogLimitExceeded: ${message}`);
    });

    test("is failed also where that is seen when it is over", async () => {
      const uid = await world.create("p");
      world.onLogEnd = () => world.tellLogNews(limit(uid));
      await world.end(`${uid}/c/0`, 0);
      expect(await world.phaseOf("p")).toBe("Failed");
    });

    test("is failed also where it did so while there was no agent", async () => {
      const uid = await world.create("p");
      await world.crash();
      world.runtime.end(`${uid}/c/0`, 0);
      world.onLogEnd = () => world.tellLogNews(limit(uid));
      await world.open();
      await world.pass(20);
      expect(await world.phaseOf("p")).toBe("Failed");
      expect(await world.stateOf("p")).toMatchObject({ terminated: { exitCode: 137 } });
    });

    test("keeps what was said of it through a restart of the agent", async () => {
      const uid = await world.create("p", { spec: { restartPolicy: "Always" } });
      world.tellLogNews(limit(uid));
      await world.end(`${uid}/c/0`, 137);
      await world.crash();
      await world.open();
      await world.pass(20);
      const [container] = (await world.pod("p")).status.containerStatuses ?? [];
      expect(container?.lastState.terminated?.reason).toBe("LogLimitExceeded");
    });
  });
});

test("a disk without room for logs is told of to all that run", async () => {
  await world.create("p");
  const over = await world.create("over");
  await world.end(`${over}/c/0`);
  world.tellLogNews({ kind: "disk", isFull: true });
  world.tellLogNews({ kind: "disk", isFull: false });
  const told = (await world.events()).filter((event) => event.startsWith("LogDiskFull"));
  expect(told).toHaveLength(1);
});

describe("a run that cannot begin", () => {
  test("leaves nobody waiting for what it prints", async () => {
    world.runtime.failure = new RunRefused(127, "StartError", "no such command");
    const uid = await world.create("p");
    expect(world.endedLogs).toEqual([`${uid}/c/0`]);
  });

  test("fails its pod with what the runtime says", async () => {
    world.runtime.failure = new RunRefused(127, "StartError", "no such command");
    await world.create("p");
    await world.pass(20);
    const terminated = { exitCode: 127, reason: "StartError", message: "no such command" };
    expect(await world.stateOf("p")).toMatchObject({ terminated });
    expect(await world.events()).toContain("Failed: Error: no such command");
  });

  test("for a reason nobody foresaw is tried again every second, not at once", async () => {
    world.runtime.failure = new Error("no room");
    await world.create("p");
    await world.pass(20);
    expect(await world.stateOf("p")).toEqual({
      waiting: { reason: "CreateContainerError", message: "no room" },
    });
    expect(world.runtime.requests).toHaveLength(1);
    world.runtime.failure = undefined;
    await world.pass(1_000);
    expect(world.runtime.alive).toHaveLength(1);
  });

  test("for want of a config map waits for it", async () => {
    const env = [{ name: "A", valueFrom: { configMapKeyRef: { name: "m", key: "k" } } }];
    const container = { name: "c", image: "i", command: ["x"], env };
    await world.create("p", { spec: { containers: [container] } });
    await world.pass(20);
    expect(await world.stateOf("p")).toEqual({
      waiting: { reason: "CreateContainerConfigError", message: 'configmap "m" not found' },
    });
    const map = { apiVersion: "v1", kind: "ConfigMap", data: { k: "v" } };
    const metadata = { name: "m", namespace: "default" };
    await world.client.create(configMaps, { ...map, metadata } as ConfigMap);
    await world.settle();
    expect(world.runtime.requests.at(-1)?.environment).toContainEqual(["A", "v"]);
    expect(await world.events()).toContain('Failed: Error: configmap "m" not found');
  });

  test("because the runtime cannot honour the pod is never tried", async () => {
    world.judgement = { refusal: { reason: "Unsupported", message: "no volumes" }, warnings: [] };
    await world.create("p");
    await world.pass(20);
    const { status } = await world.pod("p");
    expect(status).toMatchObject({
      phase: "Failed",
      reason: "Unsupported",
      message: "Pod was rejected: no volumes",
    });
    expect(world.runtime.requests).toEqual([]);
  });

  test("stays as it was told when the pod is changed after that", async () => {
    world.judgement = { refusal: { reason: "Unsupported", message: "no volumes" }, warnings: [] };
    await world.create("p");
    await world.pass(20);
    const body = { metadata: { labels: { a: "b" } } };
    await world.client.patch(pods, { namespace: "default", name: "p" }, { type: "merge", body });
    const labelled = await world.pod("p");
    await world.pass(1000);
    expect(await world.pod("p")).toEqual(labelled);
  });

  test("is warned of where it runs all the same", async () => {
    world.judgement = { warnings: [{ reason: "LimitNotEnforced", message: "memory" }] };
    const uid = await world.create("p");
    expect(world.runtime.alive).toEqual([`${uid}/c/0`]);
    expect(await world.events()).toContain("LimitNotEnforced: memory");
  });
});
