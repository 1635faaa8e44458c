/**
 * A short fuzzing of every parser, from the stored corpus; test/long/fuzz.test.ts takes minutes.
 */
import { expect, test } from "vitest";
import { FRAME_PARSERS } from "./frame-parsers.ts";
import { fuzz } from "./fuzz.ts";
import { SERVER_PARSERS } from "./server-parsers.ts";
import { TEXT_PARSERS } from "./text-parsers.ts";

const SEED = Number(process.env["FUZZ_SEED"] ?? 1);
const PARSERS = [...SERVER_PARSERS, ...TEXT_PARSERS, ...FRAME_PARSERS];

test("every parser has its own name", () => {
  expect(new Set(PARSERS.map(({ name }) => name)).size).toBe(PARSERS.length);
});

test.each(PARSERS.map((parser) => [parser.name, parser] as const))(
  "%s neither throws nor hangs",
  async (_, parser) => {
    const limits = { seed: SEED, inputs: 150, spentMs: 400, keeps: false };
    const { inputs } = await fuzz(parser, limits);
    expect(inputs).toBeGreaterThan(parser.seeds.length);
  },
);
