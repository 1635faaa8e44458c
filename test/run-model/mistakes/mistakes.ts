/**
 * Mistakes someone could make in the program. Each is planted in turn into a copy of the sources,
 * and the stories have to find it. If a text to replace is no longer there, the test fails.
 */

export interface Mistake {
  readonly mistake: string;
  readonly edits: readonly Edit[];
}

export interface Edit {
  /** From the root of the project. */
  readonly file: string;
  /** Found exactly once. */
  readonly find: string;
  readonly replace: string;
}

export const MISTAKES: readonly Mistake[] = [
  {
    mistake: "a run with failed items ends with exit code 0",
    edits: [
      {
        file: "src/run/summary.ts",
        find: "return hasFailed ? SOME_FAILED : 0;",
        replace: "return hasFailed ? 0 : 0;",
      },
    ],
  },
  {
    mistake: "results count attempts that were stopped",
    edits: [
      {
        file: "src/report/item-result.ts",
        find: 'return outcome !== "Deleted" && outcome !== "Pending";',
        replace: 'return outcome !== "Pending";',
      },
    ],
  },
];
