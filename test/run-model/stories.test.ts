/** Stories are made of seeds, reach everything there is, and become smaller. */
import { expect, test } from "vitest";
import { generateStory } from "./generate.ts";
import { shrinkStory } from "./shrink.ts";
import { ACTS, type Story } from "./story.ts";
import { tellStory } from "./tell.ts";

const STORIES = Array.from({ length: 400 }, (_, seed) => generateStory(seed));
const LEGS = STORIES.flatMap(({ steps }) => steps.flatMap(({ legs }) => legs));

test("a seed always gives the same story", () => {
  expect(generateStory(17)).toEqual(generateStory(17));
  expect(generateStory(17)).not.toEqual(generateStory(18));
});

test("every way to interrupt and every command is in some story", () => {
  const acts = new Set(LEGS.map(({ interruption }) => interruption?.act));
  expect([...acts].filter(Boolean).sort()).toEqual([...ACTS].sort());
  const commands = LEGS.map(({ command }) =>
    command.kind === "run" ? command.mode : command.kind,
  );
  expect([...new Set(commands)].sort()).toEqual(["new", "replace", "resume", "retry"]);
  const moments = LEGS.flatMap(({ interruption }) => Object.keys(interruption?.moment ?? {}));
  expect([...new Set(moments)].sort()).toEqual(["afterMs", "begun", "dieAt"]);
});

test("every flag, empty lists, equal values, newlines and batches are in some story", () => {
  const lists = LEGS.flatMap(({ command }) => (command.kind === "run" ? [command.list] : []));
  const flags = LEGS.flatMap(({ command }) => (command.kind === "run" ? [command.flags] : []));
  expect(lists.some(({ values }) => values.length === 0)).toBe(true);
  expect(lists.some(({ values }) => new Set(values).size < values.length)).toBe(true);
  expect(lists.some(({ values }) => values.some((value) => value.includes("\n")))).toBe(true);
  expect(lists.some(({ batch }) => batch > 1)).toBe(true);
  expect(new Set(flags.map(({ halt }) => halt))).toEqual(new Set([undefined, "now", "soon"]));
  expect(flags.some(({ maxFailed }) => maxFailed === 0)).toBe(true);
  expect(flags.some(({ keepOrder }) => keepOrder)).toBe(true);
  expect(new Set(flags.map(({ output }) => output)).size).toBe(3);
});

test("the last command on every run is one that nobody interrupts", () => {
  for (const { steps } of STORIES) {
    for (const { interruption, release } of steps.at(-1)?.legs ?? []) {
      expect([interruption, release.at === "never"]).toEqual([undefined, false]);
    }
  }
});

test("a story that fails shrinks to what makes it fail", async () => {
  const story = STORIES.find(isBad) as Story;
  const smallest = await shrinkStory(story, {
    fails: (each) => Promise.resolve(isBad(each)),
    plays: 10_000,
    tries: 1,
  });
  expect(tellStory(smallest).split("\n").slice(1)).toEqual([
    '  0. run one -j1 --retries 0 ["ü"], place 1, release start, kill spawner when 1 began',
  ]);
});

/** A spawner is killed while a task with an umlaut is in the list. */
function isBad({ steps }: Story): boolean {
  return steps.some(({ legs }) =>
    legs.some(({ command, interruption, run }) => {
      const values = command.kind === "run" && command.mode === "new" ? command.list.values : [];
      const { act, moment } = interruption ?? {};
      const isBegun = moment !== undefined && "begun" in moment;
      return run === "one" && values.includes("ü") && act === "kill spawner" && isBegun;
    }),
  );
}
