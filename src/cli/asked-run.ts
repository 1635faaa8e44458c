/** What a `tally run` is asked for, once its flags and files are read. */
import type { NewRun } from "../run/prepare.ts";
import type { RunRequest } from "../worklist/run-request.ts";
import type { WorkList } from "../worklist/work-list.ts";
import type { RunFlags } from "./run-flags.ts";
import type { ReportFlags } from "./run-report.ts";

export type RunCommandFlags = RunFlags & ReportFlags;

export interface AskedRun extends NewRun {
  readonly list?: WorkList;
  readonly said: readonly string[];
  readonly request?: RunRequest;
}
