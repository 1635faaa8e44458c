/** What was seen of a story that was played: all that the model may judge by. */
import type { Act, Leg } from "./story.ts";

export interface History {
  readonly journal: readonly JournalLine[];
  readonly legs: readonly LegSeen[];
  /** Processes that were still there after the last command had ended. */
  readonly left: readonly string[];
  /** Something that never came, with all that is known about it. */
  readonly hang?: string;
}

/** Written by the tasks themselves; the place in the list is the time. */
export type JournalLine = Begin | End;

export interface Begin {
  readonly kind: "begin";
  /** The name of the task, see story.ts; undefined for an index that no list has. */
  readonly task: string | undefined;
  readonly run: string;
  /** Of the list and the command line. */
  readonly version: number;
  readonly index: number;
  /** Counted by the test, from 1. */
  readonly attempt: number;
  readonly pid: number;
  /** The process that started it. */
  readonly slot: number;
  readonly place: PlaceSeen;
  /** The arguments it was given. */
  readonly values: readonly string[];
}

export interface End {
  readonly kind: "end";
  readonly task: string;
  readonly attempt: number;
  readonly code: number;
}

/** What a task sees of the surroundings it runs in. */
export interface PlaceSeen {
  readonly word: string;
  readonly umask: string;
  readonly files: string;
  readonly directory: string;
}

export interface LegSeen {
  readonly leg: Leg;
  readonly step: number;
  /** Of list and command line; undefined for commands without. */
  readonly version?: number;
  /** Lines of the journal when it began, and when it had ended. */
  readonly from: number;
  readonly to: number;
  /** null: a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
  readonly interrupted?: InterruptionSeen;
  readonly reports?: Reports;
  /** A report that failed. */
  readonly reportProblem?: string;
  /** What the tasks that this command starts should see. */
  readonly place: PlaceSeen;
}

export interface InterruptionSeen {
  readonly act: Act;
  /** Lines of the journal before it was done, and after. */
  readonly from: number;
  readonly to: number;
  /** Slots that were killed, by pid. */
  readonly slots: readonly number[];
}

/** What the program says of a run when asked afterwards. */
export interface Reports {
  readonly results: readonly ResultSeen[];
  readonly status: StatusSeen;
  readonly listed: Pick<StatusSeen, "total" | "succeeded" | "failed">;
  /** All of "tally logs NAME". */
  readonly logs: string;
  /** "tally logs NAME --item VALUE" for one of the values. */
  readonly itemLogs?: { readonly value: string; readonly text: string };
}

export interface ResultSeen {
  readonly item?: string;
  readonly index: number;
  readonly state: string;
  readonly attempts: number;
  readonly exit?: number;
  readonly start?: string;
}

export interface StatusSeen {
  readonly state: string;
  readonly total: number;
  readonly succeeded: number;
  readonly failed: number;
}

export interface Violation {
  /** Shrinking keeps it. */
  readonly kind: string;
  readonly text: string;
}
