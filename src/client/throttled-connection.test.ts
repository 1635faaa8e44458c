import { expect, test } from "vitest";
import { ManualClock } from "../base/manual-clock.ts";
import type { Connection } from "./http-connection.ts";
import { throttled } from "./throttled-connection.ts";

/** A connection that records the paths of its requests. */
function aConnection() {
  const sent: string[] = [];
  const answer = async ({ path }: { readonly path: string }) => {
    sent.push(path);
    const nothing = (async function* () {})();
    return { status: 200, warnings: [], pieces: nothing, bytes: nothing };
  };
  const connection: Connection = {
    send: answer,
    stream: answer,
    close: () => void sent.push("closed"),
  };
  return { sent, connection };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));
const LIMIT = { qps: 10, burst: 2 };

function get(path: string) {
  return { method: "GET", path } as const;
}

test("requests above the burst are sent at the rate, in order; watches at once", async () => {
  const { sent, connection } = aConnection();
  const clock = new ManualClock();
  const slow = throttled(connection, LIMIT, clock);
  for (const path of ["a", "b", "c", "d"]) void slow.send(get(path));
  void slow.stream(get("watch"), new AbortController().signal);
  await settle();
  expect(sent).toEqual(["a", "b", "watch"]);
  clock.advance(100);
  await settle();
  expect(sent).toEqual(["a", "b", "watch", "c"]);
  clock.advance(100);
  await settle();
  expect(sent).toEqual(["a", "b", "watch", "c", "d"]);
});

test("closing rejects waiting requests", async () => {
  const { sent, connection } = aConnection();
  const clock = new ManualClock();
  const slow = throttled(connection, { qps: 1, burst: 1 }, clock);
  await slow.send(get("a"));
  const late = slow.send(get("b"));
  slow.close();
  await expect(late).rejects.toThrow("the client was closed");
  clock.advance(10_000);
  await settle();
  expect(sent).toEqual(["a", "closed"]);
});
