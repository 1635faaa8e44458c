/** Pure: a StatefulSet in detail. */
import type { StatefulSet } from "../../api/generated/apps.ts";
import type { Event, PersistentVolumeClaim, Pod } from "../../api/generated/core.ts";
import { eventLines } from "./events.ts";
import { annotationLines, field, type Lines, labelLines, localTime } from "./fields.ts";
import { podTemplateLines } from "./pod-template.ts";
import { selectorText } from "./selector-text.ts";

export interface StatefulSetFacts {
  /** Those its selector selects. */
  readonly pods: readonly Pod[];
  readonly events: readonly Event[] | undefined;
}

export function statefulSetLines(
  set: StatefulSet,
  { pods, events }: StatefulSetFacts,
  nowMs: number,
): Lines {
  const { metadata, spec, status } = set;
  return [
    field("Name", metadata.name ?? ""),
    field("Namespace", metadata.namespace ?? ""),
    field("CreationTimestamp", localTime(metadata.creationTimestamp)),
    field("Selector", selectorText(spec.selector)),
    ...labelLines("Labels", metadata.labels),
    ...annotationLines("Annotations", metadata.annotations),
    field("Replicas", `${spec.replicas ?? 0} desired | ${status.replicas} total`),
    ...strategyLines(set),
    field("Pods Status", podsText(set, pods)),
    ...podTemplateLines(spec.template),
    ...claimLines(spec.volumeClaimTemplates ?? []),
    ...eventLines(events, nowMs),
  ];
}

function strategyLines({ spec }: StatefulSet): Lines {
  const { type = "", rollingUpdate } = spec.updateStrategy ?? {};
  const { partition, maxUnavailable } = rollingUpdate ?? {};
  return [
    field("Update Strategy", type),
    ...(partition === undefined ? [] : [field("Partition", partition, 1)]),
    ...(partition === undefined || maxUnavailable === undefined
      ? []
      : [field("MaxUnavailable", maxUnavailable, 1)]),
  ];
}

function podsText({ metadata }: StatefulSet, pods: readonly Pod[]): string {
  const own = pods.filter((pod) =>
    (pod.metadata.ownerReferences ?? []).some(
      ({ controller, uid }) => controller === true && uid === metadata.uid,
    ),
  );
  const count = (phase: string) => own.filter(({ status }) => status.phase === phase).length;
  return (
    `${count("Running")} Running / ${count("Pending")} Waiting / ` +
    `${count("Succeeded")} Succeeded / ${count("Failed")} Failed`
  );
}

function claimLines(templates: readonly PersistentVolumeClaim[]): Lines {
  if (templates.length === 0) return [field("Volume Claims", "<none>")];
  const lines = templates.flatMap(({ metadata, spec }) => [
    field("Name", metadata.name ?? "", 1),
    field("StorageClass", spec.storageClassName ?? "", 1),
    ...labelLines("Labels", metadata.labels, "  "),
    ...labelLines("Annotations", metadata.annotations, "  "),
    field("Capacity", spec.resources?.requests?.["storage"] ?? "<default>", 1),
    field("Access Modes", `[${(spec.accessModes ?? []).join(" ")}]`, 1),
  ]);
  return ["Volume Claims:", ...lines];
}
