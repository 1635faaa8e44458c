import { expect, test } from "vitest";
import { aServer, type TestServer } from "../../test/builders/server.ts";
import type { Client } from "../api/client.ts";
import { leases } from "../api/resources.ts";
import { silentLog } from "../base/log.ts";
import { findObject } from "../client/find.ts";
import { localClient } from "../client/local.ts";
import { standForElection, type Term } from "./leader-election.ts";
import { DEFAULT_TERMS } from "./lease.ts";

const LEASE = { namespace: "default", name: "lease" };

/** Waits for promises that settle without the clock. */
async function settle(): Promise<void> {
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve));
}

async function advance({ clock }: TestServer, byMs: number): Promise<void> {
  for (let passed = 0; passed < byMs; passed += 500) {
    clock.advance(500);
    await settle();
  }
}

/** A candidate whose connection the test can interrupt. */
function candidate(server: TestServer, identity: string) {
  const client = localClient(server);
  let isCut = false;
  const through = <T>(ask: () => Promise<T>): Promise<T> =>
    isCut ? new Promise<T>(() => {}) : ask();
  const cuttable: Client = {
    ...client,
    get: (type, name) => through(() => client.get(type, name)),
    create: (type, object) => through(() => client.create(type, object)),
    update: (type, object) => through(() => client.update(type, object)),
  };
  const stop = new AbortController();
  const terms: Term[] = [];
  const ended = standForElection(
    {
      client: cuttable,
      clock: server.clock,
      log: silentLog,
      candidate: { identity, ...LEASE },
      terms: DEFAULT_TERMS,
      lead: async (term) => {
        terms.push(term);
        await new Promise<void>((resolve) => {
          term.signal.addEventListener("abort", () => resolve());
        });
      },
    },
    stop.signal,
  );
  return {
    /** Whether it acts as leader. */
    leads: () => terms.some(({ signal }) => !signal.aborted),
    isSure: () => terms.some(({ signal, isSure }) => !signal.aborted && isSure()),
    cut: () => {
      isCut = true;
    },
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}

test("one candidate leads; the other waits and takes over at once when it stops", async () => {
  const server = aServer();
  const one = candidate(server, "one");
  await settle();
  const two = candidate(server, "two");
  await advance(server, 60_000);
  expect([one.leads(), two.leads()]).toEqual([true, false]);
  await one.stop();
  await settle();
  expect([one.leads(), two.leads()]).toEqual([false, true]);
  const lease = await findObject(localClient(server), leases, LEASE);
  expect(lease?.spec).toMatchObject({ holderIdentity: "two", leaseTransitions: 1 });
  await two.stop();
});

test("a leader that is cut off stops before the next one starts", async () => {
  const server = aServer();
  const one = candidate(server, "one");
  await settle();
  const two = candidate(server, "two");
  await advance(server, 10_000);
  one.cut();
  let overlaps = 0;
  for (let passed = 0; passed < 30_000 && !two.leads(); passed += 500) {
    await advance(server, 500);
    if (one.isSure() && two.leads()) overlaps++;
  }
  expect([one.leads(), two.leads()]).toEqual([false, true]);
  expect(overlaps).toBe(0);
  await two.stop();
});

test("a leader stops if another takes the lease, but not if it is only labelled", async () => {
  const server = aServer();
  const client = localClient(server);
  const one = candidate(server, "one");
  await settle();
  const labelled = await client.get(leases, LEASE);
  const metadata = { ...labelled.metadata, labels: { a: "b" } };
  await client.update(leases, { ...labelled, metadata });
  await advance(server, 4_000);
  expect(one.leads()).toBe(true);
  const taken = await client.get(leases, LEASE);
  await client.update(leases, { ...taken, spec: { ...taken.spec, holderIdentity: "thief" } });
  await advance(server, 4_000);
  expect(one.leads()).toBe(false);
  await one.stop();
  expect((await client.get(leases, LEASE)).spec.holderIdentity).toBe("thief");
});

test("a leader that fails releases the lease and reports the error", async () => {
  const server = aServer();
  const stop = new AbortController();
  const failed = standForElection(
    {
      client: localClient(server),
      clock: server.clock,
      log: silentLog,
      candidate: { identity: "one", ...LEASE },
      terms: DEFAULT_TERMS,
      lead: async () => {
        throw new Error("no right to list jobs");
      },
    },
    stop.signal,
  );
  await expect(failed).rejects.toThrow("no right to list jobs");
  const lease = await localClient(server).get(leases, LEASE);
  expect(lease.spec.holderIdentity ?? "").toBe("");
});
