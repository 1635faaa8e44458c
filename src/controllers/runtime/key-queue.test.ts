import { expect, test } from "vitest";
import { KeyQueue } from "./key-queue.ts";

test("keys leave in the order they were added, each once, even after many have left", () => {
  const queue = new KeyQueue();
  const taken: string[] = [];
  let added = 0;
  for (let round = 0; round < 3000; round++) {
    for (let each = 0; each < 2; each++) queue.push(`key-${added++}`, round);
    queue.push(`key-${added - 1}`, round);
    taken.push(queue.shift()?.key ?? "");
  }
  for (let next = queue.shift(); next; next = queue.shift()) taken.push(next.key);
  expect(taken).toEqual(Array.from({ length: 6000 }, (_, at) => `key-${at}`));
  expect([queue.has("key-5999"), queue.shift()]).toEqual([false, undefined]);
});
