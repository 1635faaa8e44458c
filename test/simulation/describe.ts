/** Describes a change in one line. */
import type { Job } from "../../src/api/generated/batch.ts";
import type { Pod } from "../../src/api/generated/core.ts";
import type { Entry } from "./history.ts";

export function describe({ revision, type, object }: Entry): string {
  const what = `${type} ${object.metadata.name} @${revision}`;
  if (type === "DELETED") return what;
  const isJob = object.kind === "Job";
  return `${what} ${isJob ? describeJob(object as Job) : describePod(object as Pod)}`;
}

export function describeJob({ metadata, spec, status }: Job): string {
  const { uncountedTerminatedPods: uncounted = {}, conditions = [], ...counts } = status;
  const { completions, parallelism, suspend } = spec;
  const short = (uids: readonly string[] = []) => uids.map((uid) => uid.slice(0, 4));
  return [
    `${completions ?? "-"}/${parallelism}${suspend ? " suspended" : ""}`,
    metadata.deletionTimestamp === undefined ? "" : "deleting",
    JSON.stringify({ ...counts, startTime: undefined }),
    `uncounted +${short(uncounted.succeeded)} -${short(uncounted.failed)}`,
    conditions.map(({ type, status: is, reason }) => `${type}=${is}(${reason})`).join(" "),
  ].join(" ");
}

function describePod({ metadata, status }: Pod): string {
  const { uid = "", annotations = {}, finalizers = [], deletionTimestamp } = metadata;
  const marks = Object.entries(annotations).map(
    ([key, value]) => `${key.split("-").at(-1)}=${value}`,
  );
  const exitCode = status.containerStatuses?.[0]?.state.terminated?.exitCode;
  const disrupted = status.conditions?.some(({ type }) => type === "DisruptionTarget");
  return [
    uid.slice(0, 4),
    status.phase,
    exitCode === undefined ? "" : `exit ${exitCode}`,
    disrupted ? "disrupted" : "",
    deletionTimestamp === undefined ? "" : "deleting",
    finalizers.length > 0 ? "tracked" : "untracked",
    ...marks,
  ]
    .filter((word) => word !== "")
    .join(" ");
}
