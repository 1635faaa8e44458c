/** What a law of the Job controller is: it throws when a history breaks it. */
import type { JobWorld, Witness } from "./world.ts";

export type Law =
  /** Looks at each sync by itself. */
  | Witness
  /** Remembers earlier syncs: a new witness for each history. */
  | { readonly afresh: () => Witness }
  /** Looks at the world that the history leaves behind, and may continue it. */
  | { readonly aftermath: (world: JobWorld) => void };

/** By the sentence that states the law. */
export interface Laws {
  readonly [sentence: string]: Law;
}
