/** Pure: a run as it was requested, composed and not created yet. */
import type { WorkList } from "../../api/work-list/work-list.ts";
import type { NewRun } from "../submit/create-run.ts";
import type { RunRequest } from "./run-request.ts";

export interface RequestedRun extends NewRun {
  readonly list?: WorkList;
  /** Notices for the user. */
  readonly notices: readonly string[];
  /** Absent for a manifest. */
  readonly request?: RunRequest;
}
