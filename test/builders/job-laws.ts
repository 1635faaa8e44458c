/** Laws of the Job controller's pure core, put to the test by many histories. */
import fc from "fast-check";
import { test } from "vitest";
import { type History, history, play } from "./job-history.ts";
import type { JobWorld, Witness } from "./job-world.ts";

/** Throws at a sync that breaks the law. One that remembers syncs begins each history afresh. */
export type Law = Witness | { readonly afresh: () => Witness };

const RUNS = Number(process.env["FC_RUNS"] ?? 2_000);

/** For as many histories as anyone may ask for. */
const LAW_TIMEOUT_MS = 3_600_000;

/**
 * One test for each law, named by its sentence. The histories are played once for all of them; a
 * law that is broken is then tried alone, which finds the shortest history and prints its seed.
 */
export function testLaws(laws: { readonly [sentence: string]: Law }): void {
  const parameters = { numRuns: RUNS, seed: Date.now() | 0 };
  let broken: ReadonlySet<string> | undefined;
  const findBroken = () => {
    const found = new Set<string>();
    const all = fc.property(history, (each) => {
      const witnesses = Object.entries(laws).map(([sentence, law]) => ({
        sentence,
        see: witnessOf(law),
      }));
      play(each, (sync) => {
        for (const { sentence, see } of witnesses) {
          if (!found.has(sentence) && !isContent(() => see(sync))) found.add(sentence);
        }
      });
    });
    fc.assert(all, parameters);
    return found;
  };
  for (const [sentence, law] of Object.entries(laws)) {
    test(sentence, { timeout: LAW_TIMEOUT_MS }, () => {
      broken ??= findBroken();
      if (!broken.has(sentence)) return;
      fc.assert(
        fc.property(history, (each) => void play(each, witnessOf(law))),
        parameters,
      );
      throw new Error(`broken once, and not again, with seed ${parameters.seed}`);
    });
  }
}

/** A test of the world that any history leaves behind. */
export function testAftermath(sentence: string, judge: (world: JobWorld) => void): void {
  const aftermath = fc.property<[History]>(history, (each) => judge(play(each)));
  test(sentence, { timeout: LAW_TIMEOUT_MS }, () => fc.assert(aftermath, { numRuns: RUNS }));
}

function witnessOf(law: Law): Witness {
  return typeof law === "function" ? law : law.afresh();
}

function isContent(look: () => void): boolean {
  try {
    look();
    return true;
  } catch {
    return false;
  }
}
