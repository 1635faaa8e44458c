/**
 * Pure: the attempts of a Job stored in a ConfigMap on a cluster. It outlives the pods and has a
 * maximum size. Failures are kept first, because successes are also recorded in the status of the
 * Job.
 *
 * The key "ledger" contains JSON: the Jobs that the attempts belong to, and whether the list is
 * complete. The key "attempts" contains one JSON array per line and attempt, without field names.
 */
import type { Job } from "../api/generated/batch.ts";
import type { ConfigMap } from "../api/generated/core.ts";
import type { Attempt, Outcome, PlacedAttempt } from "./attempt.ts";
import { CONTINUES_FROM } from "./story.ts";

/** The name of the ConfigMap of a Job. */
export function ledgerName(jobName: string): string {
  return `${jobName}-ledger`;
}

/**
 * The ledger of a Job, from the ConfigMap of that name. While one Job replaces another, the
 * ConfigMap has no owner. Then it belongs to the Job whose attempts it has, or that continues it.
 */
export function findLedger(object: ConfigMap | undefined, job: Job): JobLedger | undefined {
  const { name = "", uid = "", annotations = {} } = job.metadata;
  const ledger = parseLedger(object?.data, name);
  const owners = object?.metadata.ownerReferences ?? [];
  if (owners.length > 0) return owners.some((owner) => owner.uid === uid) ? ledger : undefined;
  const isNamed = ledger?.attempts.some(({ attempt }) => attempt.jobUID === uid);
  return isNamed || CONTINUES_FROM in annotations ? ledger : undefined;
}

/** The ConfigMap to write instead of the stored one. */
export function composeLedger(
  job: Job,
  stored: ConfigMap | undefined,
  ledger: JobLedger,
): ConfigMap {
  const { namespace = "", name = "", uid = "" } = job.metadata;
  const owner = { apiVersion: "batch/v1", kind: "Job", name, uid, controller: true };
  const metadata = stored?.metadata ?? { name: ledgerName(name), namespace };
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { ...metadata, ownerReferences: [owner] },
    data: formatLedger(ledger),
  };
}

export interface JobLedger {
  /** In the order in which they were added. */
  readonly attempts: readonly PlacedAttempt[];
  /** Whether attempts were dropped because of the size limit. */
  readonly isCut: boolean;
}

export interface LedgerData {
  readonly [key: string]: string;
}

/** Well below the maximum object size of 1 MiB. */
export const MAX_LEDGER_BYTES = 500_000;
const LEDGER_KEY = "ledger";
const ATTEMPTS_KEY = "attempts";

export function formatLedger(
  { attempts, isCut }: JobLedger,
  maxBytes: number = MAX_LEDGER_BYTES,
): LedgerData {
  const jobs = [...new Set(attempts.map(({ attempt }) => attempt.jobUID))];
  const lines = attempts.map((placed) => formatLine(placed, jobs));
  const kept = chosenLines(attempts, lines, maxBytes);
  const isWhole = !isCut && kept.size === lines.length;
  return {
    [LEDGER_KEY]: JSON.stringify({ jobs, complete: isWhole }),
    [ATTEMPTS_KEY]: lines.filter((_, at) => kept.has(at)).join("\n"),
  };
}

/** Undefined if the data was not written by formatLedger. */
export function parseLedger(data: LedgerData | undefined, jobName: string): JobLedger | undefined {
  const said = parseJson(data?.[LEDGER_KEY] ?? "") as Partial<Said> | undefined;
  if (!said || !Array.isArray(said.jobs)) return undefined;
  const { jobs, complete } = said;
  const lines = (data?.[ATTEMPTS_KEY] ?? "").split("\n");
  const attempts = lines.flatMap((line) => parseLine(line, jobs, jobName));
  return { attempts, isCut: complete !== true };
}

interface Said {
  readonly jobs: readonly string[];
  readonly complete: boolean;
}

/** The newest failures, then the newest other attempts, as many as fit. */
function chosenLines(
  attempts: readonly PlacedAttempt[],
  lines: readonly string[],
  maxBytes: number,
): ReadonlySet<number> {
  const kept = new Set<number>();
  let bytes = 0;
  for (const isWanted of [isFailure, (placed: PlacedAttempt) => !isFailure(placed)]) {
    for (let at = attempts.length - 1; at >= 0; at--) {
      const placed = attempts[at];
      if (!placed || !isWanted(placed)) continue;
      const size = Buffer.byteLength(lines[at] ?? "") + 1;
      if (bytes + size > maxBytes) return kept;
      bytes += size;
      kept.add(at);
    }
  }
  return kept;
}

export function isFailure({ attempt }: PlacedAttempt): boolean {
  return attempt.outcome === "Failed";
}

function formatLine(placed: PlacedAttempt, jobs: readonly string[]): string {
  const { index, run, created, attempt } = placed;
  const { outcome, pod, startTime, endTime, exitCode, reason, node, signal, message } = attempt;
  const usual = [index, jobs.indexOf(attempt.jobUID), pod, outcome, startTime, endTime, exitCode];
  const fields = [...usual, reason, node, created, run, attempt.podUID, signal, message];
  while (fields.at(-1) === undefined) fields.pop();
  return JSON.stringify(fields);
}

function parseLine(
  line: string,
  jobs: readonly string[],
  jobName: string,
): readonly PlacedAttempt[] {
  const list = parseJson(line);
  if (!Array.isArray(list)) return [];
  const [index, job, pod, outcome, startTime, endTime, exitCode, reason, node] = list;
  const [created, run, podUID, signal, message] = list.slice(9);
  if (!Number.isSafeInteger(index) || typeof pod !== "string") return [];
  const attempt: Attempt = {
    outcome: outcome as Outcome,
    startTime: text(startTime),
    endTime: text(endTime),
    exitCode: number(exitCode),
    signal: number(signal),
    reason: text(reason),
    message: text(message),
    logFile: undefined,
    node: text(node),
    pod,
    podUID: text(podUID) ?? "",
    jobUID: jobs[Number(job)] ?? "",
  };
  return [{ jobName, index, run: text(run) ?? "", created: text(created) ?? "", attempt }];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
