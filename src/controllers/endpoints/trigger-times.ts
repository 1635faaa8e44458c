/**
 * Pure: the earliest change since the last reconcile that made the endpoints of a Service outdated.
 * It is written to an annotation, which monitoring uses to measure how fast endpoints follow their
 * pods.
 */
import type { Pod, Service } from "../../api/generated/core.ts";

export const LAST_CHANGE = "endpoints.kubernetes.io/last-change-trigger-time";

export interface SeenTimes {
  readonly service: string;
  readonly pods: ReadonlyMap<string, string>;
}

export interface TriggerTime {
  readonly seen: SeenTimes;
  /** Absent if nothing changed. */
  readonly changedAt?: string;
}

/** All timestamps have the same format, so they are compared as texts. */
export function triggerTimeOf(
  service: Service,
  pods: readonly Pod[],
  before: SeenTimes | undefined,
): TriggerTime {
  const times = new Map<string, string>();
  let changedAt = "";
  const note = (time: string, last: string) => {
    if (time > last && (changedAt === "" || time < changedAt)) changedAt = time;
  };
  for (const pod of pods) {
    const time = readyChangeOf(pod);
    if (time === "") continue;
    const name = pod.metadata.name ?? "";
    times.set(name, time);
    note(time, before?.pods.get(name) ?? "");
  }
  const created = service.metadata.creationTimestamp ?? "";
  note(created, before?.service ?? "");
  const seen = { service: created, pods: times };
  return changedAt === "" ? { seen } : { seen, changedAt };
}

function readyChangeOf({ status }: Pod): string {
  const ready = (status.conditions ?? []).find(({ type }) => type === "Ready");
  return ready?.lastTransitionTime ?? "";
}

type Annotations = { readonly [annotation: string]: string };

export function withTriggerTime(annotations: Annotations = {}, changedAt?: string): Annotations {
  const { [LAST_CHANGE]: _last, ...others } = annotations;
  return changedAt === undefined ? others : { ...others, [LAST_CHANGE]: changedAt };
}
