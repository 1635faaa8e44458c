/**
 * Thousands of stories of `tally run` against the model, in portions that can be continued:
 *
 *   STORIES=200 SEED=1 RUN_MODEL_PROGRESS=progress.json npx vitest run \
 *     --config vitest.long.config.ts test/long/run-model.test.ts
 *
 * continues after the last portion, until the total is reached. RUN_MODEL_STORY=FILE plays one
 * stored story instead; RUN_MODEL_PROGRAM=FILE tests another build.
 */
import { expect, test } from "vitest";
import { attemptFile } from "../run-model/attempt-story.ts";
import { playPortion } from "../run-model/portion.ts";

/** All stories in one portion take some hours. */
const LONGEST_MS = 24 * 3_600_000;

const FILE = process.env["RUN_MODEL_STORY"];

if (FILE === undefined) {
  test(
    "every story of a run ends as the reference model says",
    async () => {
      const { failures, text } = await playPortion({
        whole: 5_000,
        stories: Number(process.env["STORIES"] ?? 5_000),
        firstSeed: Number(process.env["SEED"] ?? 1),
        progressFile: process.env["RUN_MODEL_PROGRESS"],
        atOnce: Number(process.env["AT_ONCE"] ?? 2),
      });
      process.stdout.write(`${text}\n`);
      expect(failures, failures.join("\n\n")).toEqual([]);
    },
    LONGEST_MS,
  );
} else {
  test("the stored story ends as the reference model says", async () => {
    const { failure = "" } = await attemptFile(FILE);
    expect(failure).toBe("");
  });
}
