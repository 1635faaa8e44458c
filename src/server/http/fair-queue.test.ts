import fc from "fast-check";
import { expect, test } from "vitest";
import { FairQueue } from "./fair-queue.ts";

/**
 * Time passes only while requests are served. Waiting requests are served when turn() is called.
 */
function aQueue(limits = { waitingPerUser: 3, turnMs: 5 }) {
  let nowMs = 0;
  const due: (() => void)[] = [];
  const served: string[] = [];
  const turns = { nowMs: () => nowMs, afterReading: (next: () => void) => void due.push(next) };
  const queue = new FairQueue(turns, limits);
  const ask = (user: string, name: string, costMs: number, client = ""): boolean =>
    queue.enter(user, client, () => {
      nowMs += costMs;
      served.push(name);
    });
  const turn = (): boolean => {
    const next = due.splice(0);
    for (const each of next) each();
    return next.length > 0;
  };
  return { ask, turn, served };
}

test("a request is served at once if the server is not busy", () => {
  const { ask, served } = aQueue();
  ask("a", "a1", 1);
  ask("a", "a2", 1);
  expect(served).toEqual(["a1", "a2"]);
});

test("a light client is served before the waiting requests of a heavy one", () => {
  const { ask, turn, served } = aQueue();
  ask("greedy", "g1", 6);
  for (const name of ["g2", "g3", "g4"]) ask("greedy", name, 6);
  turn();
  ask("modest", "m1", 1);
  ask("modest", "m2", 1);
  while (turn());
  expect(served).toEqual(["g1", "g2", "m1", "m2", "g3", "g4"]);
});

test("several clients of one user are separate flows", () => {
  const { ask, turn, served } = aQueue();
  ask("u", "g1", 6, "greedy");
  ask("u", "g2", 6, "greedy");
  ask("u", "g3", 6, "greedy");
  turn();
  ask("u", "m1", 1, "modest");
  while (turn());
  expect(served).toEqual(["g1", "g2", "m1", "g3"]);
});

test("the number of waiting requests is limited per user, not per client", () => {
  const { ask, turn } = aQueue();
  ask("u", "first", 6);
  expect([1, 2, 3, 4].map((each) => ask("u", `w${each}`, 1, `client ${each}`))).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(ask("other", "o", 1)).toBe(true);
  while (turn());
  expect(ask("u", "again", 1)).toBe(true);
});

test("every waiting request is served once, in order per client", () => {
  const request = fc.record({
    user: fc.constantFrom("a", "b", "c"),
    costMs: fc.integer({ min: 0, max: 9 }),
    turnsBefore: fc.integer({ min: 0, max: 2 }),
  });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 40 }), (requests) => {
      const { ask, turn, served } = aQueue({ waitingPerUser: 100, turnMs: 5 });
      requests.forEach(({ user, costMs, turnsBefore }, at) => {
        for (let each = 0; each < turnsBefore; each++) turn();
        ask(user, `${user}${at}`, costMs);
      });
      while (turn());
      for (const user of ["a", "b", "c"]) {
        const asked = requests.flatMap((each, at) => (each.user === user ? [`${user}${at}`] : []));
        expect(served.filter((name) => name.startsWith(user))).toEqual(asked);
      }
    }),
  );
});
