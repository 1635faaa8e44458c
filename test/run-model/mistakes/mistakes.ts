/**
 * Mistakes someone could make in the program. Each is planted in turn into a copy of the sources,
 * and the stories have to find it. If a text to replace is no longer there, the test fails. They
 * were chosen without a look at the stories and their model.
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
        file: "src/runs/show/summary.ts",
        find: "return hasFailed ? SOME_FAILED : 0;",
        replace: "return hasFailed ? 0 : 0;",
      },
    ],
  },
  {
    mistake: "an item is tried once more than --retries says",
    edits: [
      {
        file: "src/runs/compose/failure-rules.ts",
        find: "backoffLimitPerIndex: retries,",
        replace: "backoffLimitPerIndex: retries + 1,",
      },
    ],
  },
  {
    mistake: "items begin in the string order of their indexes",
    edits: [
      {
        file: "src/agent/lowest-first.ts",
        find: "first.rank < second.rank;",
        replace: "String(first.rank) < String(second.rank);",
      },
    ],
  },
  {
    mistake: "the history of an item is read at the index that it has now",
    edits: [
      {
        file: "src/server/ledger/list-indexes.ts",
        find: "readerOf(name).read(former, uids),",
        replace: "readerOf(name).read(index, uids),",
      },
    ],
  },
  {
    mistake: "the first row that an edit changed is taken for a new item",
    edits: [
      {
        file: "src/runs/compose/plan-resume.ts",
        find: "const rows = rowsByKey(before, same);",
        replace: "const rows = rowsByKey(before, same + 1);",
      },
    ],
  },
  {
    mistake: "tasks get the environment of the process that hosts the engine",
    edits: [
      {
        file: "src/agent/run-environments.ts",
        find: "variables: allVariables(Object.fromEntries(variablesOf(parsed))),",
        replace: "variables: this.options.own,",
      },
    ],
  },
  {
    mistake: "ordered output does not wait for an item that will be tried again",
    edits: [
      {
        file: "src/runs/follow/run-book.ts",
        find: "(hasIndex(this.#succeeded, index) || hasIndex(this.#failed, index)) &&",
        replace:
          "(hasIndex(this.#succeeded, index) ||\n      hasIndex(this.#failed, index) ||\n      this.#failures.has(index)) &&",
      },
    ],
  },
  {
    mistake: "an item that never began has failed if its pod is still there",
    edits: [
      {
        file: "src/api/pod-end.ts",
        find: 'if (isDeleted && !hasBegun(pod)) return "NeverBegan";',
        replace: 'if (isRemoved && !hasBegun(pod)) return "NeverBegan";',
      },
    ],
  },
  {
    mistake: "a former Job counts as drained before its node has said so",
    edits: [
      {
        file: "src/runs/submit/drained.ts",
        find: "return stated.size > 0 && open.every(isStated);",
        replace: "return stated.size === 0 || open.every(isStated);",
      },
    ],
  },
  {
    mistake: "what ended after a kill does not count as done before",
    edits: [
      {
        file: "src/runs/follow/foreground.ts",
        find: "beganMs: performance.timeOrigin,",
        replace: "beganMs: performance.now(),",
      },
    ],
  },
  {
    mistake: "the first failure of an item is told in place of the last",
    edits: [
      {
        file: "src/runs/follow/run-book.ts",
        find: "if ((this.#failures.get(key)?.attempt ?? 0) > end.attempt) return;",
        replace: "if ((this.#failures.get(key)?.attempt ?? end.attempt) < end.attempt) return;",
      },
    ],
  },
  {
    mistake: "an item whose exit code is unknown has failed for good",
    edits: [
      {
        file: "src/controllers/job/failure-policy.ts",
        find: 'if (isRerunAfterUnknownExit(pod)) return { action: "Ignore", isCounted: false };',
        replace:
          'if (isRerunAfterUnknownExit(pod)) return { action: "FailIndex", isCounted: false };',
      },
    ],
  },
  {
    mistake: "a task that Ctrl-C ended counts as a failed attempt",
    edits: [
      {
        file: "src/controllers/job/pod-facts.ts",
        find: 'return end === "Stopped" || end === "NeverBegan";',
        replace: 'return end === "NeverBegan";',
      },
    ],
  },
  {
    mistake: "tasks that outlived their command do not count against -j",
    edits: [
      {
        file: "src/agent/job-turns.ts",
        find: "if (hasLife(facts)) this.turns.keep(group, uid, limit);\n      return true;",
        replace: "return true;",
      },
    ],
  },
];
