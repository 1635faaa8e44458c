import { expect, test } from "vitest";
import { attemptStory } from "./attempt-story.ts";
import { tellStory } from "./tell.ts";
import { TOLD } from "./told.ts";

test.each(Object.entries(TOLD))("%s", async (_promise, story) => {
  const { violations } = await attemptStory(story);
  expect(violations, tellStory(story)).toEqual([]);
});
