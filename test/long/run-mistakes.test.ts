/** Mistakes are planted in the program one at a time; the stories of run-model must detect each. */
import { expect, test } from "vitest";
import { attemptStory } from "../run-model/attempt-story.ts";
import { generateStory } from "../run-model/generate.ts";
import { occurrences, withMistake } from "../run-model/mistakes/build.ts";
import { MISTAKES } from "../run-model/mistakes/mistakes.ts";
import { FIXED_SEEDS } from "../run-model/seeds.ts";
import type { Story } from "../run-model/story.ts";
import { TOLD } from "../run-model/told.ts";

const FURTHER = Array.from({ length: Number(process.env["STORIES"] ?? 300) }, (_, at) => at + 1);
const SEEDS = [...new Set([...FIXED_SEEDS, ...FURTHER])];
const STORIES: readonly (readonly [string, Story])[] = [
  ...Object.entries(TOLD),
  ...SEEDS.map((seed) => [`seed ${seed}`, generateStory(seed)] as const),
];

test.each(MISTAKES)("the stories detect that $mistake", async (mistake) => {
  expect(occurrences(mistake)).toEqual(mistake.edits.map(() => 1));
  const found = await withMistake(mistake, findIt);
  process.stdout.write(`${mistake.mistake}: ${found}\n`);
  expect(found).toBeDefined();
});

async function findIt(program: string): Promise<string | undefined> {
  for (const [name, story] of STORIES) {
    const { violations } = await attemptStory(story, { program });
    if (violations.length === 0) continue;
    const own = await kindsIn(story);
    const found = violations.find(({ kind }) => !own.has(kind));
    // The mistake must cause it again; otherwise it happened by chance.
    if (found && (await kindsIn(story, program)).has(found.kind)) {
      return `${name}: ${found.kind}: ${found.text}`;
    }
  }
  return undefined;
}

/** The kinds of violations of the real program, unless another is named. */
async function kindsIn(story: Story, program?: string): Promise<ReadonlySet<string>> {
  const { violations } = await attemptStory(story, program === undefined ? {} : { program });
  return new Set(violations.map(({ kind }) => kind));
}
