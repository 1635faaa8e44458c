/** Mistakes are planted in the program one at a time; the stories of run-model find each. */
import { expect, test } from "vitest";
import { attemptStory } from "../run-model/attempt-story.ts";
import { generateStory } from "../run-model/generate.ts";
import { occurrences, withMistake } from "../run-model/mistakes/build.ts";
import { MISTAKES } from "../run-model/mistakes/mistakes.ts";
import { FIXED_SEEDS } from "../run-model/seeds.ts";

/** After the fixed ones. */
const FURTHER = Array.from({ length: Number(process.env["STORIES"] ?? 300) }, (_, at) => at + 1);

test.each(MISTAKES)("it is found when $mistake", async (mistake) => {
  expect(occurrences(mistake)).toEqual(mistake.edits.map(() => 1));
  const found = await withMistake(mistake, async (program) => {
    for (const seed of new Set([...FIXED_SEEDS, ...FURTHER])) {
      const story = generateStory(seed);
      const { violations } = await attemptStory(story, { program });
      const [first] = violations;
      if (first === undefined) continue;
      // Only what the program itself does right is found by the story.
      const { violations: own } = await attemptStory(story);
      if (!own.some(({ kind }) => kind === first.kind)) return { seed, first };
    }
    return undefined;
  });
  process.stdout.write(`${mistake.mistake}: ${JSON.stringify(found)}\n`);
  expect(found).toBeDefined();
});
