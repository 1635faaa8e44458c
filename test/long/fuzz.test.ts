/**
 * Every parser for minutes (FUZZ_MINUTES of the processor, ten unless said otherwise), from a new
 * seed each time. What is new goes into test/fuzz/corpus, and what breaks something as well: from
 * then on `npm test` reads it, too. FUZZ_PARSER chooses one by its name.
 */
import { expect, test } from "vitest";
import { FRAME_PARSERS } from "../fuzz/frame-parsers.ts";
import { fuzz } from "../fuzz/fuzz.ts";
import { SERVER_PARSERS } from "../fuzz/server-parsers.ts";
import { TEXT_PARSERS } from "../fuzz/text-parsers.ts";

const MINUTES = Number(process.env["FUZZ_MINUTES"] ?? 10);
const chosen = process.env["FUZZ_PARSER"];
const PARSERS = [...SERVER_PARSERS, ...TEXT_PARSERS, ...FRAME_PARSERS].filter(
  ({ name }) => chosen === undefined || name === chosen,
);

test.each(PARSERS.map((parser) => [parser.name, parser] as const))(
  "%s neither breaks nor hangs for minutes",
  async (_, parser) => {
    const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);
    const limits = { seed, inputs: Number.POSITIVE_INFINITY, spentMs: MINUTES * 60_000 };
    const { inputs } = await fuzz(parser, { ...limits, keeps: true });
    expect(inputs).toBeGreaterThan(parser.seeds.length);
  },
);
