import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AgentAtWork } from "../../test/builders/agent.ts";
import type { Client } from "../api/client.ts";
import type { Pod } from "../api/generated/core.ts";
import { pods } from "../api/resources.ts";

let world: AgentAtWork;

beforeEach(async () => {
  world = await AgentAtWork.start();
});

afterEach(() => world.crash());

describe("a pod of one container", () => {
  test("runs once and succeeds", async () => {
    const uid = await world.create("p");
    expect(world.runtime.alive).toEqual([`${uid}/c/0`]);
    await world.pass(20);
    expect(await world.phaseOf("p")).toBe("Running");
    await world.end(`${uid}/c/0`);
    expect(await world.phaseOf("p")).toBe("Succeeded");
    expect(world.runtime.requests).toHaveLength(1);
    expect(world.runtime.forgotten).toEqual([`${uid}/c/0`]);
  });

  test("fails with the code of its process", async () => {
    const uid = await world.create("p");
    await world.end(`${uid}/c/0`, 3);
    expect(await world.phaseOf("p")).toBe("Failed");
    expect(await world.stateOf("p")).toMatchObject({
      terminated: { exitCode: 3, reason: "Error" },
    });
  });

  test("says what it had last to say", async () => {
    world.lastWords = "no more disks";
    const uid = await world.create("p");
    await world.end(`${uid}/c/0`, 3);
    expect(await world.stateOf("p")).toMatchObject({ terminated: { message: "no more disks" } });
  });

  test("whose process ends before its start is answered is over all the same", async () => {
    world.runtime.isSlow = true;
    const uid = await world.create("p");
    await world.end(`${uid}/c/0`, 0);
    world.runtime.answer();
    await world.pass(20);
    expect(await world.phaseOf("p")).toBe("Succeeded");
    expect(world.runtime.requests).toHaveLength(1);
  });

  test("whose process ends in the moment its start is answered is over too", async () => {
    world.runtime.isSlow = true;
    const uid = await world.create("p");
    world.runtime.answer();
    world.runtime.end(`${uid}/c/0`, 0);
    await world.pass(20);
    expect(await world.phaseOf("p")).toBe("Succeeded");
  });

  test("that changes while its status is written loses neither", async () => {
    let edits = 0;
    const { client } = world;
    await world.crash();
    world.client = onUpdateStatus(client, async (pod) => {
      if (edits++ > 0) return;
      const body = { metadata: { labels: { edited: "yes" } } };
      const { namespace = "", name = "" } = pod.metadata;
      await client.patch(pods, { namespace, name }, { type: "merge", body });
    });
    await world.open();
    const uid = await world.create("p");
    await world.end(`${uid}/c/0`);
    await world.pass(20);
    const pod = await world.pod("p");
    expect(pod.status.phase).toBe("Succeeded");
    expect(pod.metadata.labels).toEqual({ edited: "yes" });
    expect(edits).toBeGreaterThan(1);
  });

  test("is not looked at for good when it is over and somebody labels it", async () => {
    const uid = await world.create("p");
    await world.end(`${uid}/c/0`);
    const body = { metadata: { labels: { a: "b" } } };
    await world.client.patch(pods, { namespace: "default", name: "p" }, { type: "merge", body });
    const labelled = await world.pod("p");
    await world.pass(1000);
    expect(await world.pod("p")).toEqual(labelled);
  });
});

test("a pod tells that it heard of its deletion with its end, unless that takes long", async () => {
  await world.create("p");
  await world.pass(20);
  await world.client.delete(pods, { namespace: "default", name: "p" });
  const heard = async () => (await world.pod("p")).status.observedGeneration;
  await world.pass(1000);
  expect([await heard(), (await world.pod("p")).metadata.generation]).toEqual([1, 2]);
  await world.pass(5000);
  expect(await heard()).toBe(2);
});

describe("a container that restarts", () => {
  test("does so at once, then after ten seconds, then after twenty", async () => {
    const uid = await world.create("p", { spec: { restartPolicy: "OnFailure" } });
    await world.end(`${uid}/c/0`, 1);
    expect(world.runtime.alive).toEqual([`${uid}/c/1`]);
    await world.end(`${uid}/c/1`, 1);
    expect(await world.stateOf("p")).toMatchObject({ waiting: { reason: "CrashLoopBackOff" } });
    await world.pass(9_000);
    expect(world.runtime.alive).toEqual([]);
    await world.pass(1_000);
    expect(world.runtime.alive).toEqual([`${uid}/c/2`]);
    await world.end(`${uid}/c/2`, 0);
    const { status } = await world.pod("p");
    expect(status.phase).toBe("Succeeded");
    expect(status.containerStatuses?.[0]).toMatchObject({ restartCount: 2 });
  });

  test("is forgotten run by run", async () => {
    const uid = await world.create("p", { spec: { restartPolicy: "OnFailure" } });
    await world.end(`${uid}/c/0`, 1);
    await world.end(`${uid}/c/1`, 1);
    expect(world.runtime.forgotten).toEqual([`${uid}/c/0`, `${uid}/c/1`]);
  });
});

describe("what ends while a status is written", () => {
  test("is not forgotten before it is told itself", async () => {
    const { client } = world;
    await world.crash();
    let uid = "";
    let forgottenAtWrite: readonly string[] = [];
    world.client = onUpdateStatus(client, async ({ status }) => {
      const second = `${uid}/c/1`;
      if (status.containerStatuses?.[0]?.restartCount !== 1) return;
      if (world.runtime.alive.includes(second)) world.runtime.end(second, 1);
      else forgottenAtWrite = [...world.runtime.forgotten];
    });
    await world.open();
    uid = await world.create("p", { spec: { restartPolicy: "OnFailure" } });
    await world.end(`${uid}/c/0`, 1);
    await world.pass(20);
    expect(forgottenAtWrite).toEqual([`${uid}/c/0`]);
    expect(world.runtime.forgotten).toEqual([`${uid}/c/0`, `${uid}/c/1`]);
  });
});

describe("a pod that is deleted", () => {
  test("is asked to end, killed after its grace, and removed when it is over", async () => {
    const uid = await world.create("p");
    await world.delete("p", 5);
    expect(world.runtime.signals).toEqual([{ run: `${uid}/c/0`, signal: "TERM" }]);
    expect(await world.events()).toContain("Killing: Stopping container c");
    await world.pass(4_999);
    expect(world.runtime.signals).toHaveLength(1);
    await world.pass(1);
    expect(world.runtime.signals.at(-1)).toEqual({ run: `${uid}/c/0`, signal: "KILL" });
    expect(await world.isGone("p")).toBe(false);
    await world.end(`${uid}/c/0`, 137);
    expect(await world.isGone("p")).toBe(true);
  });

  test("by force is gone at once, its process later, and both are forgotten", async () => {
    const uid = await world.create("p");
    await world.delete("p", 0);
    expect(await world.isGone("p")).toBe(true);
    await world.pass(2_000);
    expect(world.runtime.signals.map(({ signal }) => signal)).toEqual(["TERM", "KILL"]);
    await world.end(`${uid}/c/0`, 137);
    expect(world.runtime.forgotten).toEqual([`${uid}/c/0`]);
  });

  test("before its process is there is stopped when it is", async () => {
    world.runtime.isSlow = true;
    const uid = await world.create("p");
    await world.delete("p", 5);
    expect(world.runtime.signals).toEqual([]);
    world.runtime.answer();
    await world.pass(20);
    expect(world.runtime.signals).toEqual([{ run: `${uid}/c/0`, signal: "TERM" }]);
  });

  test("is removed also when that fails the first time", async () => {
    const { client } = world;
    await world.crash();
    let failures = 4;
    world.client = {
      ...client,
      delete: async (...request) => {
        if (request[2]?.preconditions && failures-- > 0) throw new Error("not now");
        return client.delete(...request);
      },
    };
    await world.open();
    const uid = await world.create("p");
    await world.delete("p", 5);
    await world.end(`${uid}/c/0`, 143);
    expect(await world.isGone("p")).toBe(false);
    for (let second = 0; second < 4; second++) await world.pass(1_000);
    expect(await world.isGone("p")).toBe(true);
  });
});

/** Every status the agent writes passes here first. */
function onUpdateStatus(client: Client, look: (pod: Pod) => Promise<void>): Client {
  return {
    ...client,
    updateStatus: async (type, object) => {
      if (type.resource === "pods") await look(object as unknown as Pod);
      return client.updateStatus(type, object);
    },
  };
}
