import { expect, test } from "vitest";
import { jobBody } from "../../../test/builders/resources.ts";
import { aServer } from "../../../test/builders/server.ts";
import type { Client } from "../../api/client.ts";
import { ApiError } from "../../api/errors.ts";
import type { Event } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import { events, jobs, namespaces } from "../../api/resources.ts";
import type { Log } from "../../base/log.ts";
import { silentLog } from "../../base/log.ts";
import { localClient } from "../../client/local.ts";
import { openRecorder } from "./recorder.ts";

function aRecorder(change: (client: Client) => Partial<Client> = () => ({}), log: Log = silentLog) {
  const server = aServer();
  const local = localClient(server);
  const client: Client = { ...local, ...change(local) };
  const { clock, random } = server;
  const recorder = openRecorder({ client, clock, random, log, component: "job-controller" });
  const list = async (): Promise<readonly Event[]> => {
    await recorder.idle();
    return (await local.list(events)).items;
  };
  return { server, client: local, clock, recorder, list };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A log that collects the messages of warnings. */
function warnings(): { readonly said: string[]; readonly log: Log } {
  const said: string[] = [];
  const log: Log = { ...silentLog, warn: (message) => void said.push(message), child: () => log };
  return { said, log };
}

const lines = (items: readonly Event[]) =>
  items.map(({ count, type, reason, message }) => `${count} ${type} ${reason} ${message}`).sort();

test("an event states the object, the reason, the time, the count and the source", async () => {
  const { client, recorder, list } = aRecorder();
  const job = await client.create(jobs, jobBody({ name: "a" }));
  recorder.event(job, "Normal", "SuccessfulCreate", "Created pod: a-x");
  expect(await list()).toEqual([
    {
      apiVersion: "v1",
      kind: "Event",
      metadata: {
        name: expect.stringMatching(/^a\.[0-9a-f]{16}$/),
        namespace: "default",
        uid: expect.any(String),
        resourceVersion: expect.any(String),
        creationTimestamp: "2026-01-01T00:00:00Z",
      },
      involvedObject: {
        kind: "Job",
        namespace: "default",
        name: "a",
        uid: job.metadata.uid,
        apiVersion: "batch/v1",
        resourceVersion: job.metadata.resourceVersion,
      },
      reason: "SuccessfulCreate",
      message: "Created pod: a-x",
      source: { component: "job-controller" },
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:00Z",
      count: 1,
      type: "Normal",
      eventTime: null,
      reportingComponent: "job-controller",
      reportingInstance: "",
    },
  ]);
});

test("an event about an object without a namespace is in the namespace default", async () => {
  const { client, recorder, list } = aRecorder();
  const space = await client.get(namespaces, { name: "kube-public" });
  recorder.event(space, "Warning", "Odd", "look");
  const [event] = await list();
  expect(event?.metadata.namespace).toBe("default");
  expect(event?.involvedObject).not.toHaveProperty("namespace");
});

test("an event about an object with a long name is named by a UUID", async () => {
  const { recorder, list } = aRecorder();
  const about = jobBody({ name: "a".repeat(250) });
  recorder.event(about, "Normal", "Completed", "Job completed");
  expect((await list())[0]?.metadata.name).toMatch(/^[0-9a-f-]{36}$/);
});

test("event names are unique, even at the same time and with the same random number", async () => {
  const { client, clock, server } = aRecorder();
  const random = { ...server.random, below: () => 0 };
  const recorder = openRecorder({ client, clock, random, log: silentLog, component: "c" });
  for (const message of ["one", "two", "three"]) {
    recorder.event(jobBody({ name: "a" }), "Normal", "Reason", message);
  }
  await recorder.idle();
  expect((await client.list(events)).items).toHaveLength(3);
});

test("a repeated event increments the count of the existing event", async () => {
  const { recorder, clock, list } = aRecorder();
  const about = jobBody({ name: "a" });
  recorder.event(about, "Normal", "Suspended", "Job suspended");
  const [first] = await list();
  clock.advance(5000);
  recorder.event(about, "Normal", "Suspended", "Job suspended");
  await recorder.idle();
  clock.advance(5000);
  recorder.event(about, "Normal", "Suspended", "Job suspended");
  const items = await list();
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({
    metadata: { name: first?.metadata.name },
    count: 3,
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:00:10Z",
  });
});

test("an event that is repeated before it is written takes one write", async () => {
  let creations = 0;
  const { recorder, list } = aRecorder((client) => ({
    create: (type, object) => {
      creations += 1;
      return client.create(type, object);
    },
    patch: () => Promise.reject(new Error("no patch is needed")),
  }));
  for (let time = 0; time < 20; time++) {
    recorder.event(jobBody({ name: "a" }), "Normal", "Suspended", "Job suspended");
  }
  expect(lines(await list())).toEqual(["20 Normal Suspended Job suspended"]);
  expect(creations).toBe(1);
});

test("a counted event that has been deleted is created again", async () => {
  const { client, recorder, list } = aRecorder();
  const about = jobBody({ name: "a" });
  recorder.event(about, "Normal", "Suspended", "Job suspended");
  const [first] = await list();
  await client.delete(events, { namespace: "default", name: first?.metadata.name ?? "" });
  recorder.event(about, "Normal", "Suspended", "Job suspended");
  expect(lines(await list())).toEqual(["2 Normal Suspended Job suspended"]);
});

test("events are recorded without waiting for the server, and written in order", async () => {
  const order: string[] = [];
  const { recorder } = aRecorder((client) => ({
    create: async (type, object) => {
      const { message } = object as KubeObject & { readonly message?: string };
      order.push(message ?? "");
      await settled();
      return client.create(type, object);
    },
  }));
  for (const message of ["one", "two", "three"]) {
    recorder.event(jobBody({ name: "a" }), "Normal", "Reason", message);
  }
  expect(order).toEqual([]);
  await recorder.idle();
  expect(order).toEqual(["one", "two", "three"]);
});

test.each([
  ["is unreachable", new Error("connection refused")],
  ["answers with a server error", new ApiError(500, "InternalError", "disk full")],
])("an event is retried with growing delays when the server %s", async (_, error) => {
  let failures = 3;
  const { recorder, clock, list } = aRecorder((client) => ({
    create: (type, object) =>
      failures-- > 0 ? Promise.reject(error) : client.create(type, object),
  }));
  recorder.event(jobBody({ name: "a" }), "Normal", "Completed", "Job completed");
  for (const delayMs of [500, 1000, 2000]) {
    await settled();
    expect(clock.untilNextMs()).toBe(delayMs);
    clock.advance(delayMs);
  }
  expect(lines(await list())).toEqual(["1 Normal Completed Job completed"]);
});

test("an object whose events the server rejects does not delay the events of others", async () => {
  const { recorder, client } = aRecorder((local) => ({
    create: (type, object) =>
      (object as unknown as Event).involvedObject.name === "a"
        ? Promise.reject(new Error("gone"))
        : local.create(type, object),
  }));
  recorder.event(jobBody({ name: "a" }), "Normal", "One", "one");
  recorder.event(jobBody({ name: "a" }), "Normal", "Two", "two");
  recorder.event(jobBody({ name: "b" }), "Normal", "One", "one");
  await settled();
  const { items } = await client.list(events);
  expect(items.map(({ involvedObject }) => involvedObject.name)).toEqual(["b"]);
});

test("events of one object are written one after the other, in order", async () => {
  const order: string[] = [];
  const { recorder, list } = aRecorder((local) => ({
    create: async (type, object) => {
      const { reason = "" } = object as unknown as Event;
      // The first write takes longest.
      for (let turn = order.length; turn < 3; turn++) await Promise.resolve();
      order.push(reason);
      return local.create(type, object);
    },
  }));
  const reasons = ["One", "Two", "Three", "Four"];
  for (const reason of reasons) recorder.event(jobBody({ name: "a" }), "Normal", reason, "");
  await list();
  expect(order).toEqual(reasons);
});

test("after twelve attempts an event is dropped and the next one is written", async () => {
  const { said, log } = warnings();
  let failures = 12;
  const { recorder, clock, list } = aRecorder(
    (client) => ({
      create: (type, object) =>
        failures-- > 0 ? Promise.reject(new Error("gone")) : client.create(type, object),
    }),
    log,
  );
  recorder.event(jobBody({ name: "a" }), "Normal", "One", "one");
  recorder.event(jobBody({ name: "a" }), "Normal", "Two", "two");
  for (let tries = 1; tries < 12; tries++) {
    await settled();
    clock.advance(clock.untilNextMs() ?? 0);
  }
  expect(lines(await list())).toEqual(["1 Normal Two two"]);
  expect(said).toEqual(["event lost"]);
});

test.each([
  ["is rejected as invalid", new ApiError(422, "Invalid", "no"), ["event lost"]],
  ["already exists", new ApiError(409, "AlreadyExists", "is there"), []],
  [
    "belongs to a terminating namespace",
    new ApiError(403, "Forbidden", "going", { causes: [{ reason: "NamespaceTerminating" }] }),
    [],
  ],
])("an event that %s is not retried", async (_, error, expected) => {
  const { said, log } = warnings();
  const { recorder, clock } = aRecorder(() => ({ create: () => Promise.reject(error) }), log);
  recorder.event(jobBody({ name: "a" }), "Normal", "Completed", "Job completed");
  await recorder.idle();
  expect(clock.untilNextMs()).toBeUndefined();
  expect(said).toEqual(expected);
});

test("if the server is too slow, first events wait and others are dropped", async () => {
  const { said, log } = warnings();
  const { recorder, list } = aRecorder(() => ({}), log);
  for (let each = 0; each < 1500; each++) {
    const about = jobBody({ name: `job-${each}` });
    recorder.event(about, "Normal", "SuccessfulCreate", "one");
    recorder.event(about, "Normal", "SuccessfulCreate", "two");
  }
  const items = await list();
  expect(new Set(items.map(({ involvedObject }) => involvedObject.name)).size).toBe(1500);
  expect(items.length).toBeLessThan(3000);
  expect(said).toEqual(["events lost: too many at once"]);
});

test("a stopped recorder writes nothing more", async () => {
  let tries = 0;
  const { recorder, clock } = aRecorder(() => ({
    create: () => {
      tries += 1;
      return Promise.reject(new Error("gone"));
    },
  }));
  recorder.event(jobBody({ name: "a" }), "Normal", "One", "one");
  recorder.event(jobBody({ name: "a" }), "Normal", "Two", "two");
  await settled();
  recorder.stop();
  await recorder.idle();
  recorder.event(jobBody({ name: "a" }), "Normal", "Three", "three");
  await recorder.idle();
  expect([tries, clock.untilNextMs()]).toEqual([1, undefined]);
});
