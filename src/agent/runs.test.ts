import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AgentAtWork } from "../../test/builders/agent.ts";
import type { ConfigMap } from "../api/generated/core.ts";
import { configMaps, pods } from "../api/resources.ts";
import { RunRefused } from "./runtimes/runtime.ts";

let world: AgentAtWork;

beforeEach(async () => {
  world = await AgentAtWork.start();
});

afterEach(() => world.crash());

describe("a run that cannot begin", () => {
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
