/** A law of the Job controller: a function that throws if a history breaks it. */
import type { JobWorld, Witness } from "./world.ts";

export type Law =
  /** Checks each sync by itself. */
  | Witness
  /** Remembers earlier syncs: a new witness is created for each history. */
  | { readonly afresh: () => Witness }
  /** Checks the world at the end of the history, and may continue it. */
  | { readonly aftermath: (world: JobWorld) => void };

/** By the sentence that states the law. */
export interface Laws {
  readonly [sentence: string]: Law;
}
