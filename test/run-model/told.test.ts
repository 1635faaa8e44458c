import { expect, test } from "vitest";
import { attemptStory } from "./attempt-story.ts";
import { tellStory } from "./tell.ts";
import { TOLD } from "./told.ts";

/**
 * Known to fail: an item that ends with 0 while --halt now ends the run is counted as succeeded by
 * the summary and as not run by results. The long run plays it.
 */
const OPEN = ["--halt now: items that never started are not run"];

const kept = Object.entries(TOLD).filter(([promise]) => !OPEN.includes(promise));

test.each(kept)("%s", async (_promise, story) => {
  const { violations } = await attemptStory(story);
  expect(violations, tellStory(story)).toEqual([]);
});
