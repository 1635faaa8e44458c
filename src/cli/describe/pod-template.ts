/** Pure: the template that a controller makes pods of. */
import type {
  PodSpec,
  PodTemplateSpec,
  Toleration,
  TopologySpreadConstraint,
} from "../../api/generated/core.ts";
import { formatLabelSelector } from "../../api/print/selector.ts";
import { containersLines } from "./containers.ts";
import { annotationLines, type Lines, labelLines, list, optionalField } from "./fields.ts";
import { volumeLines } from "./volumes.ts";

export function podTemplateLines({ metadata, spec }: PodTemplateSpec): Lines {
  const { initContainers = [], containers, nodeSelector } = spec;
  const { annotations = {} } = metadata ?? {};
  return [
    "Pod Template:",
    ...labelLines("  Labels", metadata?.labels),
    ...(Object.keys(annotations).length > 0 ? annotationLines("  Annotations", annotations) : []),
    ...optionalField("Service Account", spec.serviceAccountName, 1),
    ...(initContainers.length > 0
      ? containersLines({ title: "Init Containers", containers: initContainers })
      : []),
    ...containersLines({ title: "Containers", containers: containers ?? [] }),
    ...volumeLines(spec.volumes ?? [], true),
    ...spreadLines(spec.topologySpreadConstraints ?? [], "  "),
    ...optionalField("Priority Class Name", spec.priorityClassName, 1),
    ...labelLines("  Node-Selectors", nodeSelector),
    ...tolerationLines("  Tolerations", spec.tolerations),
  ];
}

export function tolerationLines(title: string, tolerations: PodSpec["tolerations"]): Lines {
  const sorted = [...(tolerations ?? [])].sort((one, other) =>
    compare(one.key ?? "", other.key ?? ""),
  );
  return list(title, sorted.map(tolerationText));
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function tolerationText(toleration: Toleration): string {
  const { key = "", operator, value = "", effect = "", tolerationSeconds } = toleration;
  const what = `${key}${value && `=${value}`}${effect && `:${effect}`}`;
  const exists = operator === "Exists" && value === "";
  const operation = exists ? `${what === "" ? "" : " "}op=Exists` : "";
  const time = tolerationSeconds === undefined ? "" : ` for ${tolerationSeconds}s`;
  return `${what}${operation}${time}`;
}

export function spreadLines(
  constraints: readonly TopologySpreadConstraint[],
  before: string,
): Lines {
  if (constraints.length === 0) return [];
  const sorted = [...constraints].sort((one, other) => compare(one.topologyKey, other.topologyKey));
  const texts = sorted.map(({ topologyKey, whenUnsatisfiable, maxSkew, labelSelector }) => {
    const selector = labelSelector ? ` for selector ${formatLabelSelector(labelSelector)}` : "";
    return `${topologyKey}:${whenUnsatisfiable} when max skew ${maxSkew} is exceeded${selector}`;
  });
  return list("Topology Spread Constraints", texts, before);
}
