/** A workflow that is killed again and again, and taken up each time. */
import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { type Ended, Place } from "./tally-run.ts";

export interface WorkflowKills {
  readonly steps: number;
  /** One after the other, or all before the last. */
  readonly shape: "chain" | "fan";
  readonly kills: number;
  /** From 0 up to 1. */
  readonly random: () => number;
  /** The longest that it lives between two kills. */
  readonly longestLifeMs?: number;
}

const LONGEST_LIFE_MS = 1_500;

export async function surviveWorkflowKills(options: WorkflowKills): Promise<void> {
  const { steps, shape, kills, random, longestLifeMs = LONGEST_LIFE_MS } = options;
  const place = new Place();
  try {
    const script = ["sh", "-c", 'echo "$HOSTNAME" >> ran'];
    await place.run(["run", "t", "--asTemplate", "--", ...script]);
    const names = Array.from({ length: steps }, (_, at) => `s${at}`);
    const last = names.at(-1) ?? "";
    const before = (at: number) =>
      shape === "chain" ? `${names[at]}:${names[at + 1]}` : `${names[at]}:${last}`;
    const create = [
      "create-workflow",
      "w",
      ...names.map((name) => `--job=${name}=jobTemplate/t`),
      ...names.slice(1).map((_, at) => `--dependency=${before(at)}`),
    ];
    let isCreated = false;
    const live = async (lifeMs?: number): Promise<Ended> => {
      const run = place.start(isCreated ? ["resume", "workflow/w"] : create);
      if (lifeMs !== undefined) {
        await Promise.race([run.ended, pause(lifeMs)]);
        run.process.kill("SIGKILL");
      }
      const ended = await run.ended;
      isCreated ||= ended.out.includes("created") || ended.error.includes("already exists");
      return ended;
    };
    for (let killed = 0; killed < kills; killed++) await live(random() * longestLifeMs);
    let end = await live();
    if (end.error.includes("already exists")) end = await live();
    expect(end.error).toContain(`${steps} of ${steps} steps succeeded`);
    expect(end.code).toBe(0);
    const ran = readFileSync(place.path("ran"), "utf8").trim().split("\n");
    const expected = names.map((name) => `w-${name}-0`);
    expect(ran.toSorted()).toEqual(expected.toSorted());
    if (shape === "chain") expect(ran).toEqual(expected);
    else expect(ran.at(-1)).toBe(`w-${last}-0`);
  } finally {
    place.dispose();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
