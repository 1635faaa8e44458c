/**
 * Thousands of stories of `tally run` against the model, in portions that resume:
 *
 *   STORIES=200 SEED=1 RUN_MODEL_PROGRESS=progress.json npx vitest run \
 *     --config vitest.long.config.ts test/long/run-model.test.ts
 *
 * goes on where the last portion ended, until the whole number is reached.
 */
import { expect, test } from "vitest";
import { playPortion } from "../run-model/portion.ts";

test("every story of a run ends as the reference model says", async () => {
  const { failures, text } = await playPortion({
    whole: 5_000,
    stories: Number(process.env["STORIES"] ?? 5_000),
    firstSeed: Number(process.env["SEED"] ?? 1),
    progressFile: process.env["RUN_MODEL_PROGRESS"],
    atOnce: Number(process.env["AT_ONCE"] ?? 2),
  });
  process.stdout.write(`${text}\n`);
  expect(failures, failures.join("\n\n")).toEqual([]);
});
