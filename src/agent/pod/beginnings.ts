/** Pure: what a run has before it until it counts as running, as started, and as ready. */
import type { Container, ContainerStatus } from "../../api/generated/core.ts";

export interface Beginning {
  readonly hasPostStart?: boolean;
  /** Until its startup probe says otherwise. */
  readonly isUnstarted?: boolean;
  /** Until its readiness probe says otherwise. */
  readonly isUnready?: boolean;
}

export function beginningOf(container: Container | undefined): Beginning {
  if (container === undefined) return NOTHING;
  const { lifecycle, startupProbe, readinessProbe } = container;
  const hasPostStart = lifecycle?.postStart !== undefined;
  if (!hasPostStart && startupProbe === undefined && readinessProbe === undefined) return NOTHING;
  return {
    hasPostStart,
    isUnstarted: startupProbe !== undefined,
    isUnready: readinessProbe !== undefined,
  };
}

/** What was told of a run before its agent was restarted stands. */
export function recallBeginning(
  container: Container | undefined,
  told: ContainerStatus | undefined,
  attempt: number,
): Beginning {
  const all = beginningOf(container);
  if (told?.state.running === undefined || told.restartCount !== attempt) return all;
  return {
    isUnstarted: all.isUnstarted === true && told.started !== true,
    isUnready: all.isUnready === true && !told.ready,
  };
}

const NOTHING: Beginning = {};
