/** Pure: what follows from the results of a probe, as kubelet counts them. */
import type { Container, Probe } from "../../api/generated/core.ts";

export type ProbeKind = "startup" | "readiness" | "liveness";

export interface ProbeResult {
  readonly isSuccess: boolean;
  /** What is said of a failure, or of a success that has something to it. */
  readonly output: string;
}

/** How often in a row it went how. */
export interface Streak {
  readonly isSuccess: boolean;
  readonly length: number;
}

/** The verdict is undefined below the threshold: what was said before stands. */
export interface Count {
  readonly streak: Streak;
  readonly verdict: boolean | undefined;
}

export function countResult(
  before: Streak | undefined,
  isSuccess: boolean,
  { successThreshold, failureThreshold }: Pick<Probe, "successThreshold" | "failureThreshold">,
): Count {
  const length = before?.isSuccess === isSuccess ? before.length + 1 : 1;
  const threshold = isSuccess ? (successThreshold ?? 1) : (failureThreshold ?? FAILURES);
  const streak = { isSuccess, length };
  return { streak, verdict: length < threshold ? undefined : isSuccess };
}

const FAILURES = 3;
const TIMEOUT_SECONDS = 1;
const PERIOD_SECONDS = 10;

/** After such a verdict the probe rests until there is a new run. */
export function isSettled(kind: ProbeKind, verdict: boolean | undefined): boolean {
  if (verdict === undefined) return false;
  return kind === "startup" || (kind === "liveness" && !verdict);
}

export function timeoutMs({ timeoutSeconds = TIMEOUT_SECONDS }: Probe): number {
  return timeoutSeconds * 1000;
}

/** When it is asked next. */
export function nextProbeMs(
  { periodSeconds = PERIOD_SECONDS, initialDelaySeconds = 0 }: Probe,
  { startedMs, lastMs }: { readonly startedMs: number; readonly lastMs: number | undefined },
): number {
  if (lastMs === undefined) return startedMs + initialDelaySeconds * 1000;
  return lastMs + periodSeconds * 1000;
}

export function probesOf(container: Container): ReadonlyMap<ProbeKind, Probe> {
  const { startupProbe: startup, readinessProbe: readiness, livenessProbe: liveness } = container;
  const all = Object.entries({ startup, readiness, liveness }) as [ProbeKind, Probe | undefined][];
  return new Map(all.flatMap(([kind, probe]) => (probe === undefined ? [] : [[kind, probe]])));
}

export function hasProbes({ startupProbe, readinessProbe, livenessProbe }: Container): boolean {
  return startupProbe !== undefined || readinessProbe !== undefined || livenessProbe !== undefined;
}
