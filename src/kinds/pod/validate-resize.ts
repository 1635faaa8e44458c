/** Pure: validates the resize of a running pod's resources. */

import { isEqual } from "../../api/equal.ts";
import { type Finding, forbidden, invalid } from "../../api/finding.ts";
import type { Pod, PodSpec, ResourceRequirements } from "../../api/generated/core.ts";
import { validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { hasPodLevelResources, qosClassOf } from "./qos.ts";
import { validatePodContent } from "./validate-pod.ts";
import { isMirror } from "./validate-update.ts";

/** What Go prints for an empty path. */
const NO_FIELD = "[]";

export function validatePodResize(next: Pod, old: Pod): Finding[] {
  if (isMirror(old)) return [forbidden(NO_FIELD, "static pods cannot be resized")];
  if (old.spec.os?.name === "windows") {
    return [forbidden(NO_FIELD, "windows pods cannot be resized")];
  }
  const findings = [
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...validatePodContent(next),
  ];
  if ((old.status.qosClass ?? qosClassOf(old.spec)) !== qosClassOf(next.spec)) {
    const detail = "Pod QOS Class may not change as a result of resizing";
    findings.push(invalid("spec", next.status.qosClass ?? "", detail));
  }
  if (!supportsResize(old)) {
    findings.push(forbidden("spec", "Pod running on node without support for resize"));
  }
  const moved = [
    ...validateOrder(next.spec, old.spec, "containers"),
    ...validateOrder(next.spec, old.spec, "initContainers"),
  ];
  if (moved.length > 0) return [...findings, ...moved];
  return [
    ...findings,
    ...validateRemovals(next.spec, old.spec, "initContainers"),
    ...validateRemovals(next.spec, old.spec, "containers"),
    ...validatePodLevel(next.spec, old.spec),
    ...validateOthers(next.spec, old.spec, "containers"),
    ...validateOthers(next.spec, old.spec, "initContainers"),
  ];
}

/** A node that reports the resources of running containers supports resizing. */
function supportsResize({ status }: Pod): boolean {
  const running = (status.containerStatuses ?? []).find(({ state }) => state.running);
  return running === undefined || running.resources !== undefined;
}

type List = "containers" | "initContainers";

function validateOrder(next: PodSpec, old: PodSpec, list: List): Finding[] {
  const path = `spec.${list}`;
  const containers = next[list] ?? [];
  const before = old[list] ?? [];
  if (containers.length !== before.length) {
    return [forbidden(path, `${list} may not be added or removed on resize`)];
  }
  const detail = `${list} may not be renamed or reordered on resize`;
  return before.flatMap(({ name }, at) =>
    containers[at]?.name === name ? [] : [forbidden(`${path}[${at}].name`, detail)],
  );
}

function validateRemovals(next: PodSpec, old: PodSpec, list: List): Finding[] {
  return (old[list] ?? []).flatMap((container, at) => {
    const now = next[list]?.[at]?.resources ?? {};
    return (["requests", "limits"] as const).flatMap((field) => {
      const names = Object.keys(container.resources[field] ?? {});
      if (names.every((name) => now[field]?.[name] !== undefined)) return [];
      const path = `spec.${list}[${at}].resources.${field}`;
      return [forbidden(path, `resource ${field} cannot be removed`)];
    });
  });
}

function validateOthers(next: PodSpec, old: PodSpec, list: List): Finding[] {
  return (old[list] ?? []).flatMap((container, at) => {
    const now = next[list]?.[at];
    if (now === undefined) return [];
    const isSame =
      isEqual(now.resizePolicy, container.resizePolicy) &&
      isEqual(otherThanCompute(now.resources), otherThanCompute(container.resources));
    if (isSame) return [];
    if (list === "containers") return [forbidden("spec", `${ONLY_COMPUTE} are mutable`)];
    const detail = `${ONLY_COMPUTE} for init or sidecar containers are mutable`;
    return [forbidden(`spec.${list}[${at}]`, detail)];
  });
}

const ONLY_COMPUTE = "only cpu and memory resources";

function validatePodLevel(next: PodSpec, old: PodSpec): Finding[] {
  const { resources = {} } = next;
  const before = old.resources ?? {};
  if (hasPodLevelResources(old) && next.resources === undefined) {
    return [forbidden("spec.resources", "pod-level resources cannot be removed")];
  }
  if (isEqual(otherThanCompute(resources), otherThanCompute(before))) return [];
  return [forbidden("spec", `${ONLY_COMPUTE} are mutable at pod-level`)];
}

/** Claims are checked elsewhere. */
function otherThanCompute({ limits, requests }: ResourceRequirements): object {
  const rest = (list: { readonly [name: string]: string } = {}) => {
    const { cpu: _cpu, memory: _memory, ...others } = list;
    return others;
  };
  return { limits: rest(limits), requests: rest(requests) };
}
