import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AgentAtWork, ofIndex } from "../../test/builders/agent.ts";

let world: AgentAtWork;

beforeEach(async () => {
  world = await AgentAtWork.start();
});

afterEach(() => world.crash());

describe("the pod of an index", () => {
  test("waits until the process of the one before it is gone", async () => {
    const first = await world.create("p1", { metadata: ofIndex(3) });
    await world.delete("p1", 0);
    const second = await world.create("p2", { metadata: ofIndex(3) });
    const other = await world.create("p3", { metadata: ofIndex(4) });
    await world.pass(100);
    expect(world.runtime.alive).toEqual([`${first}/c/0`, `${other}/c/0`]);
    expect(await world.stateOf("p2")).toMatchObject({
      waiting: { reason: "WaitingForPredecessor" },
    });
    const message = "waiting for the former process of this index (pod p1) to be gone";
    expect(await world.events()).toContain(`WaitingForPredecessor: ${message}`);
    await world.end(`${first}/c/0`, 137);
    expect(world.runtime.alive).toEqual([`${other}/c/0`, `${second}/c/0`]);
  });

  test("waits also after a crash of the agent", async () => {
    const first = await world.create("p1", { metadata: ofIndex(3) });
    await world.delete("p1", 30);
    const second = await world.create("p2", { metadata: ofIndex(3) });
    await world.crash();
    await world.open();
    expect(world.runtime.alive).toEqual([`${first}/c/0`]);
    await world.end(`${first}/c/0`, 143);
    expect(world.runtime.alive).toEqual([`${second}/c/0`]);
  });

  test("waits for a process whose pod went with a crash of the agent", async () => {
    const first = await world.create("p1", { metadata: ofIndex(3) });
    await world.crash();
    await world.delete("p1", 0);
    await world.open();
    expect(world.runtime.signals).toEqual([{ run: `${first}/c/0`, signal: "KILL" }]);
    const second = await world.create("p2", { metadata: ofIndex(3) });
    expect(world.runtime.alive).toEqual([`${first}/c/0`]);
    await world.end(`${first}/c/0`, 137);
    expect(world.runtime.alive).toEqual([`${second}/c/0`]);
  });

  const NO_INDEX = { annotations: { "batch.kubernetes.io/job-completion-index": null } };

  test.each([
    ["index", NO_INDEX],
    ["owner", { ownerReferences: null }],
  ])("frees its place when a client removed its %s", async (_what, change) => {
    const first = await world.create("p1", { metadata: ofIndex(3) });
    await world.edit("p1", change);
    const second = await world.create("p2", { metadata: ofIndex(3) });
    expect(world.runtime.alive).toEqual([`${first}/c/0`]);
    await world.end(`${first}/c/0`, 0);
    expect(world.runtime.alive).toEqual([`${second}/c/0`]);
  });

  test("waits after a crash for a process whose pod was edited", async () => {
    const first = await world.create("p1", { metadata: ofIndex(3) });
    await world.edit("p1", NO_INDEX);
    const second = await world.create("p2", { metadata: ofIndex(3) });
    await world.crash();
    await world.open();
    expect(world.runtime.alive).toEqual([`${first}/c/0`]);
    await world.end(`${first}/c/0`, 0);
    expect(world.runtime.alive).toEqual([`${second}/c/0`]);
  });

  test("that was edited while it waits leaves no trace where it waited", async () => {
    const first = await world.create("p1", { metadata: ofIndex(3) });
    const second = await world.create("p2", { metadata: ofIndex(3) });
    await world.edit("p2", ofIndex(4));
    await world.delete("p2", 0);
    await world.end(`${first}/c/0`, 0);
    const third = await world.create("p3", { metadata: ofIndex(3) });
    const fourth = await world.create("p4", { metadata: ofIndex(4) });
    expect(world.runtime.alive).toEqual([`${third}/c/0`, `${fourth}/c/0`]);
    expect(world.runtime.requests.some(({ id }) => id.podUid === second)).toBe(false);
  });
});
