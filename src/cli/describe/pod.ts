/** Pure: a pod in detail. */
import type { Container, Event, Pod } from "../../api/generated/core.ts";
import { containersLines, resourceLines } from "./containers.ts";
import { eventLines } from "./events.ts";
import {
  annotationLines,
  controllerLines,
  field,
  type Lines,
  labelLines,
  localTime,
  optionalField,
  since,
} from "./fields.ts";
import { spreadLines, tolerationLines } from "./pod-template.ts";
import { volumeLines } from "./volumes.ts";

export function podLines(pod: Pod, events: readonly Event[] | undefined, nowMs: number): Lines {
  const { metadata, spec, status } = pod;
  return [
    field("Name", metadata.name ?? ""),
    field("Namespace", metadata.namespace ?? ""),
    ...optionalField("Priority", spec.priority),
    ...optionalField("Priority Class Name", spec.priorityClassName),
    ...optionalField("Runtime Class Name", spec.runtimeClassName),
    ...optionalField("Service Account", spec.serviceAccountName),
    field("Node", spec.nodeName ? `${spec.nodeName}/${status.hostIP ?? ""}` : "<none>"),
    ...(status.startTime ? [field("Start Time", localTime(status.startTime))] : []),
    ...labelLines("Labels", metadata.labels),
    ...annotationLines("Annotations", metadata.annotations),
    ...phaseLines(pod, nowMs),
    ...seccompLines(pod),
    field("IP", status.podIP ?? ""),
    ...addressLines(pod),
    ...controllerLines(metadata),
    ...optionalField("NominatedNodeName", status.nominatedNodeName),
    ...(spec.resources ? ["Resources:", ...resourceLines(spec.resources, 1)] : []),
    ...allContainersLines(pod),
    ...gateLines(pod),
    ...conditionLines(pod),
    ...volumeLines(spec.volumes ?? [], false),
    field("QoS Class", status.qosClass ?? ""),
    ...labelLines("Node-Selectors", spec.nodeSelector),
    ...tolerationLines("Tolerations", spec.tolerations),
    ...spreadLines(spec.topologySpreadConstraints ?? [], ""),
    ...eventLines(events, nowMs),
  ];
}

function phaseLines({ metadata, status }: Pod, nowMs: number): Lines {
  const { phase = "", reason, message } = status;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
  const isOver = phase === "Failed" || phase === "Succeeded";
  const state =
    deletionTimestamp && !isOver
      ? [
          field("Status", `Terminating (lasts ${since(deletionTimestamp, nowMs)})`),
          field("Termination Grace Period", `${deletionGracePeriodSeconds}s`),
        ]
      : [field("Status", phase)];
  return [...state, ...optionalField("Reason", reason), ...optionalField("Message", message)];
}

function seccompLines({ spec }: Pod): Lines {
  const profile = spec.securityContext?.seccompProfile;
  if (!profile) return [];
  const isLocal = profile.type === "Localhost";
  const local = isLocal ? [field("LocalhostProfile", profile.localhostProfile ?? "")] : [];
  return [field("SeccompProfile", profile.type), ...local];
}

function addressLines({ status }: Pod): Lines {
  const { podIPs = [] } = status;
  if (podIPs.length === 0) return [field("IPs", "<none>")];
  return ["IPs:", ...podIPs.map(({ ip }) => field("IP", ip, 1))];
}

function allContainersLines(pod: Pod): Lines {
  const { spec, status } = pod;
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  const init = { statuses: status.initContainerStatuses ?? [], containers: initContainers };
  const main = { statuses: status.containerStatuses ?? [], containers: containers ?? [] };
  const ephemeral = {
    statuses: status.ephemeralContainerStatuses ?? [],
    containers: ephemeralContainers as readonly Container[],
  };
  return [
    ...(initContainers.length > 0
      ? containersLines({ title: "Init Containers", pod, ...init })
      : []),
    ...containersLines({ title: "Containers", pod, ...main }),
    ...(ephemeralContainers.length > 0
      ? containersLines({ title: "Ephemeral Containers", pod, ...ephemeral })
      : []),
  ];
}

function gateLines({ spec, status }: Pod): Lines {
  const { readinessGates = [] } = spec;
  if (readinessGates.length === 0) return [];
  const lines = readinessGates.map(({ conditionType }) => {
    const condition = (status.conditions ?? []).find(({ type }) => type === conditionType);
    return `  ${conditionType} \t${condition?.status ?? "<none>"} `;
  });
  return ["Readiness Gates:", "  Type\tStatus", ...lines];
}

function conditionLines({ status }: Pod): Lines {
  const { conditions = [] } = status;
  if (conditions.length === 0) return [];
  const lines = conditions.map((condition) => `  ${condition.type} \t${condition.status} `);
  return ["Conditions:", "  Type\tStatus", ...lines];
}
