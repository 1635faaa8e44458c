/**
 * Fuzzes every parser for minutes (FUZZ_MINUTES of CPU time, default 10), from a new seed each
 * time. Inputs with new outcomes, and inputs that break a parser, are stored in test/fuzz/corpus,
 * from which `npm test` replays them. FUZZ_PARSER selects a parser by name.
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
  "%s neither throws nor hangs for minutes",
  async (_, parser) => {
    const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);
    const limits = { seed, inputs: Number.POSITIVE_INFINITY, spentMs: MINUTES * 60_000 };
    const { inputs } = await fuzz(parser, { ...limits, keeps: true });
    expect(inputs).toBeGreaterThan(parser.seeds.length);
  },
);
