/** Judges the histories of many seeds, and describes those that break a law. */
import type { FailedSeed } from "../support/failed-seeds.ts";
import type { History } from "./history.ts";
import { judge, LAWS } from "./judge.ts";
import type { Laws } from "./law.ts";
import { historyOf } from "./random-history.ts";
import { shrink } from "./shrink.ts";

/** Consecutive seeds. */
export interface Portion {
  readonly first: number;
  readonly count: number;
}

export interface BrokenLaw extends FailedSeed {
  readonly law: string;
  /** The shortest history found that breaks the law in the same way. */
  readonly history: History;
}

export interface Judged extends Portion {
  readonly syncs: number;
  /** CPU time. */
  readonly spentMs: number;
  readonly broken: readonly BrokenLaw[];
}

/** More seeds would show the same problem, and each takes a while to shrink. */
export const MOST_BROKEN = 20;

/** The count is smaller than requested if too many seeds break a law. */
export function judgePortion({ first, count }: Portion, laws: Laws = LAWS): Judged {
  const began = process.cpuUsage();
  const broken: BrokenLaw[] = [];
  let syncs = 0;
  let seed = first;
  for (; seed < first + count && broken.length < MOST_BROKEN; seed++) {
    const judgement = judge(historyOf(seed), laws);
    syncs += judgement.syncs;
    for (const law of judgement.complaints.keys()) broken.push(explain(seed, law, laws));
  }
  const { user, system } = process.cpuUsage(began);
  const spentMs = Math.round((user + system) / 1000);
  return { first, count: seed - first, syncs, spentMs, broken };
}

function explain(seed: number, law: string, laws: Laws): BrokenLaw {
  const alone = { [law]: laws[law] ?? (() => {}) };
  const complaintAbout = (history: History) => judge(history, alone).complaints.get(law);
  const history = shrink(historyOf(seed), (each) => complaintAbout(each) !== undefined);
  return { seed, law, problem: complaintAbout(history) ?? "", history };
}

/** A message with the law, how it is broken, and how to replay it. */
export function describeBroken({ seed, law, problem, history }: BrokenLaw): string {
  const { template, ...spec } = history.spec;
  return [
    `seed ${seed} breaks the law: ${law}`,
    problem,
    `replay with: SEED=${seed} npx vitest run test/job-laws`,
    `spec: ${JSON.stringify(spec)}`,
    `template: ${JSON.stringify(template)}`,
    ...history.steps.map((step) => `  ${JSON.stringify(step)}`),
  ].join("\n");
}
