/** Plays the story of a seed and judges it. One that fails is made smaller, printed and kept. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { generateStory } from "./generate.ts";
import type { History, Violation } from "./history.ts";
import { judge } from "./model.ts";
import { type PlayOptions, playStory } from "./play.ts";
import { shrinkStory } from "./shrink.ts";
import type { Story } from "./story.ts";
import { tellStory } from "./tell.ts";

export interface Attempted {
  readonly story: Story;
  readonly history: History;
  readonly violations: readonly Violation[];
}

export interface AttemptOptions extends Partial<PlayOptions> {
  /** How many stories may be played to make one that fails smaller; 0 leaves it as it is. */
  readonly shrinks?: number;
}

/** Where failing stories are kept, so that none is lost with the output of a test. */
export const KEPT = path.resolve(
  process.env["RUN_MODEL_KEEP"] ?? path.join(import.meta.dirname, "../../.cache/run-model"),
);
const SHRINKS = Number(process.env["RUN_MODEL_SHRINKS"] ?? 40);
const TRIES = 2;
/** Kinds of failures that are known, when others are looked for. */
const IGNORED = (process.env["RUN_MODEL_IGNORE"] ?? "").split(",");
/** The kinds that are looked for; absent: all. */
const ONLY = process.env["RUN_MODEL_ONLY"]?.split(",");

export async function attemptStory(
  story: Story,
  options: Partial<PlayOptions> = {},
): Promise<Attempted> {
  const { history, keys } = await playStory(story, options);
  const violations = judge(story, history, keys).filter(
    ({ kind }) => !IGNORED.includes(kind) && (ONLY === undefined || ONLY.includes(kind)),
  );
  return { story, history, violations };
}

/** What to print about a seed that fails. */
export async function attemptSeed(
  seed: number,
  options: AttemptOptions = {},
): Promise<{ readonly attempted: Attempted; readonly failure?: string }> {
  return attemptAndShrink(generateStory(seed), options);
}

/** A story as it was kept, or one written by hand. */
export async function attemptFile(
  file: string,
  options: AttemptOptions = {},
): Promise<{ readonly attempted: Attempted; readonly failure?: string }> {
  const { story, smallest, ...bare } = JSON.parse(readFileSync(file, "utf8"));
  return attemptAndShrink(smallest?.story ?? story ?? bare, options);
}

async function attemptAndShrink(
  story: Story,
  options: AttemptOptions,
): Promise<{ readonly attempted: Attempted; readonly failure?: string }> {
  const attempted = await attemptStory(story, options);
  const [first] = attempted.violations;
  if (first === undefined) return { attempted };
  const { shrinks = SHRINKS } = options;
  let smallest = attempted;
  const fails = async (story: Story) => {
    const again = await attemptStory(story, options);
    const isSame = again.violations.some(({ kind }) => kind === first.kind);
    if (isSame) smallest = again;
    return isSame;
  };
  await shrinkStory(attempted.story, { fails, plays: shrinks, tries: TRIES });
  return { attempted, failure: keep(attempted, smallest) };
}

function keep(attempted: Attempted, smallest: Attempted): string {
  const { seed } = attempted.story;
  const text = [
    `seed ${seed} fails:`,
    ...tellViolations(attempted.violations),
    `as played: ${tellStory(attempted.story)}`,
    `smallest that fails so: ${tellStory(smallest.story)}`,
    ...tellViolations(smallest.violations),
  ].join("\n");
  mkdirSync(KEPT, { recursive: true });
  const file = path.join(KEPT, `${seed}.json`);
  const { story, violations } = smallest;
  const kept = {
    story: attempted.story,
    violations: attempted.violations,
    journal: attempted.history.journal,
    commands: attempted.history.legs.map(({ leg, from, to, code, out, error }) => {
      return { run: leg.run, from, to, code, out, error };
    }),
    smallest: { story, violations },
  };
  writeFileSync(file, JSON.stringify(kept, null, 1));
  writeFileSync(path.join(KEPT, `${seed}.txt`), `${text}\n`);
  return `${text}\nkept in ${file}`;
}

const MOST_TOLD = 12;

function tellViolations(violations: readonly Violation[]): readonly string[] {
  const told = violations.slice(0, MOST_TOLD).map(({ kind, text }) => `  ${kind}: ${text}`);
  const more = violations.length - told.length;
  return more > 0 ? [...told, `  and ${more} more`] : told;
}
