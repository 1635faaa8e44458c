/** Pure: what the server sets in a pod, and what each kind of update must not change. */
import type { Container, Pod, PodAffinityTerm, PodCondition } from "../../api/generated/core.ts";
import { type Draft, draftOf, kept } from "../../api/object.ts";
import { setAppArmorFields } from "./app-armor.ts";
import { dropDisabledPodFields } from "./drop-disabled.ts";
import { qosClassOf } from "./qos.ts";
import { findValidSibling } from "./siblings.ts";

/** Requires the creation time in the metadata: from then on scheduling gates block the pod. */
export function prepareForCreate(pod: Draft<Pod>): void {
  const { spec, metadata } = pod;
  const sibling = findValidSibling(spec);
  const qosClass = sibling?.qosClass ?? qosClassOf(spec);
  if (!sibling) dropDisabledPodFields(spec);
  const isGated = (spec.schedulingGates ?? []).length > 0;
  pod.status = {
    phase: "Pending",
    ...(isGated ? { conditions: [gatedSince(metadata.creationTimestamp ?? null)] } : {}),
    qosClass,
  };
  if (spec.affinity || spec.topologySpreadConstraints) selectByOwnLabels(pod);
  setAppArmorFields(pod);
}

export function prepareForUpdate(next: Draft<Pod>, old: Pod): void {
  next.status = kept(old.status);
  if (next.spec !== old.spec) dropDisabledPodFields(next.spec, old.spec);
}

export function prepareForStatusUpdate(next: Draft<Pod>, old: Pod): void {
  next.spec = kept(old.spec);
  if (old.metadata.ownerReferences === undefined) delete next.metadata.ownerReferences;
  else next.metadata.ownerReferences = kept(old.metadata.ownerReferences);
  if (old.status.qosClass !== undefined) next.status.qosClass ??= old.status.qosClass;
  if (old.status.nodeAllocatableResourceClaimStatuses === undefined) {
    delete next.status.nodeAllocatableResourceClaimStatuses;
  }
  keepObservedGenerations(next, old);
}

/** Only the list of ephemeral containers changes. */
export function prepareForEphemeralContainersUpdate(next: Draft<Pod>, old: Pod): void {
  const { ephemeralContainers } = next.spec;
  keepAll(next, old);
  if (ephemeralContainers === undefined) delete next.spec.ephemeralContainers;
  else next.spec.ephemeralContainers = ephemeralContainers;
}

/**
 * Only resources and resize policies of containers change. If containers are added, renamed or
 * moved, the spec is left as it is, so that validation rejects it.
 */
export function prepareForResize(next: Draft<Pod>, old: Pod): void {
  const { containers, initContainers, resources } = next.spec;
  const wanted = { containers, initContainers };
  const lists = ["containers", "initContainers"] as const;
  if (lists.some((list) => wanted[list]?.length !== old.spec[list]?.length)) return;
  keepAll(next, old);
  if (resources === undefined) delete next.spec.resources;
  else next.spec.resources = resources;
  for (const list of lists) {
    const resized = wanted[list];
    const kept = next.spec[list] ?? [];
    if (!resized) continue;
    if (resized.some(({ name }, at) => name !== kept[at]?.name)) next.spec[list] = resized;
    else for (const [at, container] of kept.entries()) takeResources(container, resized[at]);
  }
}

function takeResources(container: Draft<Container>, resized: Draft<Container> | undefined): void {
  if (resized === undefined) return;
  container.resources = resized.resources;
  if (resized.resizePolicy === undefined) delete container.resizePolicy;
  else container.resizePolicy = resized.resizePolicy;
}

function keepAll(next: Draft<Pod>, old: Pod): void {
  const { name, namespace, resourceVersion, uid, managedFields } = next.metadata;
  const { managedFields: _before, ...kept } = draftOf(old.metadata);
  next.metadata = {
    ...kept,
    ...(managedFields === undefined ? {} : { managedFields }),
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(uid === undefined ? {} : { uid }),
  };
  next.spec = draftOf(old.spec);
  next.status = draftOf(old.status);
}

function gatedSince(lastTransitionTime: string | null): Draft<PodCondition> {
  return {
    type: "PodScheduled",
    status: "False",
    lastProbeTime: null,
    lastTransitionTime,
    reason: "SchedulingGated",
    message: "Scheduling is blocked due to non-empty scheduling gates",
  };
}

/** Converts label keys to requirements with the pod's own values. */
function selectByOwnLabels({ metadata, spec }: Draft<Pod>): void {
  const labels = metadata.labels ?? {};
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  for (const affinity of [podAffinity, podAntiAffinity]) {
    const wished = affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    for (const term of [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...wished.map(({ podAffinityTerm }) => podAffinityTerm),
    ]) {
      addRequirements(term, { keys: term.matchLabelKeys ?? [], operator: "In" }, labels);
      addRequirements(term, { keys: term.mismatchLabelKeys ?? [], operator: "NotIn" }, labels);
    }
  }
  for (const constraint of spec.topologySpreadConstraints ?? []) {
    const keys = constraint.matchLabelKeys ?? [];
    addRequirements(constraint, { keys, operator: "In" }, labels);
  }
}

function addRequirements(
  term: Draft<Pick<PodAffinityTerm, "labelSelector">>,
  { keys, operator }: { readonly keys: readonly string[]; readonly operator: string },
  labels: { readonly [key: string]: string },
): void {
  // Without a selector nothing is selected. A selector made of these keys alone would select pods.
  if (term.labelSelector === undefined) return;
  for (const key of keys) {
    const value = labels[key];
    if (value === undefined) continue;
    term.labelSelector.matchExpressions ??= [];
    term.labelSelector.matchExpressions.push({ key, operator, values: [value] });
  }
}

/** A client that does not know observedGeneration omits it, which must not count as a change. */
function keepObservedGenerations(next: Draft<Pod>, old: Pod): void {
  const { observedGeneration } = old.status;
  if (observedGeneration !== undefined) next.status.observedGeneration ??= observedGeneration;
  const remembered = new Map<string, (number | undefined)[]>();
  for (const { type, observedGeneration: seen } of old.status.conditions ?? []) {
    remembered.set(type, [...(remembered.get(type) ?? []), seen]);
  }
  for (const condition of next.status.conditions ?? []) {
    const seen = remembered.get(condition.type)?.shift();
    if (seen !== undefined) condition.observedGeneration ??= seen;
  }
}
