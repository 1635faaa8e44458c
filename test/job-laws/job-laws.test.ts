import { expect, test } from "vitest";
import { jobKind } from "../../src/kinds/job/kind.ts";
import { aJob } from "../builders/job.ts";
import { onceBroken } from "./failures.ts";
import { judge, LAWS } from "./judge.ts";
import type { Laws } from "./law.ts";
import { type BrokenLaw, describeBroken, judgePortion, MOST_BROKEN } from "./portion.ts";
import { historyOf } from "./random-history.ts";

const { SEED } = process.env;
const isReplay = SEED !== undefined;

/** The same seeds in each run, so that results are comparable; test/long tries new ones. */
const portion = {
  first: Number(SEED ?? 1),
  count: isReplay ? 1 : 2_000,
};

/** Much longer than needed, because the machine may be busy. */
const timeout = 3_600_000;

let found: ReadonlyMap<string, string> | undefined;

function problemsByLaw(): ReadonlyMap<string, string> {
  const problems = new Map<string, string>();
  for (const broken of judgePortion(portion).broken) {
    if (!problems.has(broken.law)) problems.set(broken.law, describeBroken(broken));
  }
  return problems;
}

test.each(Object.keys(LAWS))("%s", { timeout }, (law) => {
  found ??= problemsByLaw();
  expect(found.get(law), found.get(law)).toBeUndefined();
});

test.each(onceBroken())("seed $seed no longer breaks: $law", ({ seed, history }) => {
  const complaints = [...judge(historyOf(seed)).complaints, ...judge(history).complaints];
  expect(complaints).toEqual([]);
});

test("every history begins with a Job that the API accepts", () => {
  for (let seed = 0; seed < 500; seed++) {
    const { spec } = historyOf(seed);
    const findings = jobKind.rules.validate(aJob(spec));
    expect(findings, `seed ${seed}: ${JSON.stringify(spec)}`).toEqual([]);
  }
});

test("a Job with many pods to remove also comes to rest", () => {
  const { spec } = historyOf(0);
  const crowd = Array.from({ length: 40 }, () => ({ kind: "stranger", index: 0 }) as const);
  const history = { spec: { ...spec, parallelism: 1, suspend: false }, steps: crowd };
  expect(judge(history).complaints).toEqual(new Map());
});

const NO_RESTARTS: Laws = {
  "nothing restarts": ({ restarts }) => {
    if (restarts > 0) throw new Error(`${restarts} restarts`);
  },
};

test("a broken law is reported with its seed and the shortest history that breaks it", () => {
  const { broken, count } = judgePortion({ first: 0, count: 10_000 }, NO_RESTARTS);
  expect(broken).toHaveLength(MOST_BROKEN);
  expect(count).toBeLessThan(10_000);
  for (const { seed, history } of broken) {
    expect(judge(historyOf(seed), NO_RESTARTS).complaints.size).toBe(1);
    expect(history.steps).toHaveLength(2);
    expect(judge(history, NO_RESTARTS).complaints.get("nothing restarts")).toBe("1 restarts");
  }
  const [first] = broken as [BrokenLaw];
  expect(describeBroken(first)).toContain(`SEED=${first.seed} `);
});
