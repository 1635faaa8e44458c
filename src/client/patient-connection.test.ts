import { expect, test } from "vitest";
import { ManualClock } from "../base/manual-clock.ts";
import type { Connection, HttpAnswer } from "./http-connection.ts";
import { patient } from "./patient-connection.ts";

const GET = { method: "GET", path: "/x" } as const;
const POST = { method: "POST", path: "/x" } as const;
const settle = () => new Promise((resolve) => setImmediate(resolve));

type Planned = { readonly status: number; readonly retryAfterMs?: number } | Error;

/** Gives the planned answers in order, and then 200. */
function planned(...answers: Planned[]) {
  const clock = new ManualClock();
  let sent = 0;
  const send = async (): Promise<HttpAnswer> => {
    const next = answers[sent++] ?? { status: 200 };
    if (next instanceof Error) throw next;
    const nothing = (async function* () {})();
    return { ...next, warnings: [], pieces: nothing, bytes: nothing };
  };
  const direct: Connection = { send, stream: send, close: () => {} };
  return { connection: patient(direct, clock), clock, sent: () => sent };
}

test.each([429, 500, 503])("after %d the request waits for Retry-After", async (status) => {
  const { connection, clock, sent } = planned({ status, retryAfterMs: 2_000 });
  const answer = connection.send(POST);
  await settle();
  clock.advance(1_999);
  await settle();
  expect(sent()).toBe(1);
  clock.advance(1);
  expect((await answer).status).toBe(200);
});

test("429 without Retry-After is retried with backoff; other errors are returned", async () => {
  const { connection, clock, sent } = planned({ status: 429 }, { status: 429 });
  const answer = connection.send(POST);
  await settle();
  clock.advance(1_000);
  await settle();
  expect(sent()).toBe(2);
  clock.advance(1_000);
  await settle();
  expect(sent()).toBe(2);
  clock.advance(1_000);
  expect((await answer).status).toBe(200);
  for (const status of [409, 500, 503]) {
    expect((await planned({ status }).connection.send(POST)).status).toBe(status);
  }
});

test("retries end after 10 attempts", async () => {
  const all = Array.from({ length: 20 }, () => ({ status: 429, retryAfterMs: 1_000 }));
  const { connection, clock, sent } = planned(...all);
  const answer = connection.send(POST);
  for (let round = 0; round < 20; round++) {
    await settle();
    clock.advance(1_000);
  }
  expect((await answer).status).toBe(429);
  expect(sent()).toBe(11);
});

test("a connection reset is retried for GET, but not for POST", async () => {
  const reset = new Error("x", { cause: Object.assign(new Error("y"), { code: "ECONNRESET" }) });
  expect((await planned(reset).connection.send(GET)).status).toBe(200);
  await expect(planned(reset).connection.send(POST)).rejects.toBe(reset);
  await expect(planned(new Error("other")).connection.send(GET)).rejects.toThrow("other");
});

test("closing the client rejects waiting requests", async () => {
  const { connection } = planned({ status: 429 });
  const answer = connection.send(GET);
  const failed = expect(answer).rejects.toThrow("the client was closed");
  await settle();
  connection.close();
  await failed;
});
