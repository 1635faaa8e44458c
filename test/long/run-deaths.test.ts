/**
 * A command that resumes, retries or replaces a run is killed between every two of its awaits, one
 * after the other, and the next command must still complete the run correctly.
 */
import { expect, test } from "vitest";
import { attemptStory } from "../run-model/attempt-story.ts";
import type { Flags, Leg, LegCommand, Story } from "../run-model/story.ts";
import { tellStory } from "../run-model/tell.ts";

const FLAGS: Flags = { jobs: 2, retries: 0, keepOrder: false, output: "text" };
const list = (values: string) => ({ values: [...values], batch: 1, tag: 0 });
const run = (mode: "new" | "resume" | "replace", values: string): LegCommand => {
  return { kind: "run", mode, list: list(values), flags: FLAGS };
};

/** A finished run with a failure, or a run that was killed while it held two items. */
type Before = "finished" | "killed";

const COMMANDS: readonly (readonly [string, Before, LegCommand])[] = [
  ["resume of a killed run with an edited list", "killed", run("resume", "xcab")],
  ["resume of a finished run with an edited list", "finished", run("resume", "xcab")],
  ["resume of a finished run", "finished", run("resume", "abc")],
  ["retry of failed items", "finished", { kind: "retry" }],
  ["retry of a successful item", "finished", { kind: "retry", indexes: [0] }],
  ["retry of a killed run", "killed", { kind: "retry", indexes: [0] }],
  ["replacement", "finished", run("replace", "xcab")],
];
/** With fewer places to die, the program under test would not support this test. */
const FEWEST_PLACES = 3;

test.each(COMMANDS)("%s survives a kill at each of its awaits", async (_name, before, command) => {
  let deaths = 0;
  for (let isDead = true; isDead; ) {
    const story = storyOf(before, command, `any:${deaths + 1}`);
    const { violations, history } = await attemptStory(story);
    expect(violations, tellStory(story)).toEqual([]);
    isDead = history.legs[1]?.code === null;
    if (isDead) deaths++;
  }
  expect(deaths).toBeGreaterThanOrEqual(FEWEST_PLACES);
});

function storyOf(before: Before, command: LegCommand, dieAt: string): Story {
  const first: Leg =
    before === "finished"
      ? { run: "one", command: run("new", "abc"), place: 1, release: { at: "start" } }
      : {
          ...{ run: "one", command: run("new", "abc"), place: 1, release: { at: "never" } },
          interruption: { moment: { begun: 2 }, act: "kill cli" },
        };
  const second: Leg = {
    ...{ run: "one", command, place: 2, release: { at: "start" } },
    interruption: { moment: { dieAt }, act: "kill cli" },
  };
  const values = command.kind === "run" ? command.list.values.join("") : "abc";
  const last: Leg = {
    ...{ run: "one", command: run("resume", values), place: 3, release: { at: "start" } },
  };
  const held = { code: 0, lines: 1, isHeld: true };
  const after = { code: 0, lines: 1, isHeld: false };
  const plans = {
    'one ["a"] 1': { attempts: [held], after },
    'one ["b"] 1': { attempts: [{ ...held, code: 3 }], after },
  };
  return { seed: 0, plans, steps: [first, second, last].map((leg) => ({ legs: [leg] })) };
}
