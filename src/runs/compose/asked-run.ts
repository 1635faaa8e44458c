/** What a `tally run` is asked for, once its flags and files are read. */

import type { WorkList } from "../../api/work-list/work-list.ts";
import type { ReportFlags } from "../show/run-report.ts";
import type { NewRun } from "../submit/prepare.ts";
import type { RunFlags } from "./run-flags.ts";
import type { RunRequest } from "./run-request.ts";

export type RunCommandFlags = RunFlags & ReportFlags;

export interface AskedRun extends NewRun {
  readonly list?: WorkList;
  readonly said: readonly string[];
  readonly request?: RunRequest;
}
