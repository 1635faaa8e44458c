/**
 * Pure: while a pod waits for its scheduling gates, its node selection may only be restricted
 * further.
 */
import { isEqual } from "../../api/equal.ts";
import { type Finding, invalid } from "../../api/finding.ts";
import type { NodeAffinity, NodeSelectorTerm, PodSpec } from "../../api/generated/core.ts";
import { type Draft, draftOf } from "../../api/object.ts";
import { nodeSelectorTermDump } from "./go-dump.ts";

/** Restores the fields in the draft that it has checked. */
export function validateGatedUpdate(next: Draft<PodSpec>, old: PodSpec): Finding[] {
  const findings: Finding[] = [];
  if (!isEqual(next.nodeSelector, old.nodeSelector)) {
    findings.push(...validateNodeSelectorChange(next.nodeSelector, old.nodeSelector));
    if (old.nodeSelector === undefined) delete next.nodeSelector;
    else next.nodeSelector = draftOf(old.nodeSelector);
  }
  const [now, before] = [next.affinity?.nodeAffinity, old.affinity?.nodeAffinity];
  if (!isEqual(now, before)) {
    findings.push(...validateNodeAffinityChange(now, before));
    putBackNodeAffinity(next, old);
  }
  return findings;
}

type StringMap = { readonly [key: string]: string };

function validateNodeSelectorChange(next: StringMap | undefined, old: StringMap = {}): Finding[] {
  if (Object.entries(old).every(([key, value]) => next?.[key] === value)) return [];
  const detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  return [invalid("spec.nodeSelector", next, detail)];
}

function validateNodeAffinityChange(
  next: NodeAffinity | undefined,
  old: NodeAffinity | undefined,
): Finding[] {
  const before = termsOf(old);
  const now = termsOf(next);
  if (before.length === 0) return [];
  const path =
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  if (before.length !== now.length) {
    const shown = now.length === 0 ? null : now.map(nodeSelectorTermDump);
    const detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
    return [invalid(path, shown, detail)];
  }
  return now.flatMap((term, at) => {
    if (onlyAdds(term, before[at] ?? {})) return [];
    const detail = "only additions are allowed (no mutations or deletions)";
    return [invalid(`${path}[${at}]`, nodeSelectorTermDump(term), detail)];
  });
}

function termsOf(affinity: NodeAffinity | undefined): readonly NodeSelectorTerm[] {
  return affinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
}

/** An empty term selects nothing. Adding to it would make it select something. */
function onlyAdds(next: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const lists = ["matchExpressions", "matchFields"] as const;
  if (lists.every((list) => (old[list] ?? []).length === 0)) {
    return lists.every((list) => (next[list] ?? []).length === 0);
  }
  return lists.every((list) => {
    const before = old[list] ?? [];
    return isEqual((next[list] ?? []).slice(0, before.length), before);
  });
}

function putBackNodeAffinity(next: Draft<PodSpec>, old: PodSpec): void {
  const before = old.affinity?.nodeAffinity;
  if (before !== undefined) {
    next.affinity = { ...next.affinity, nodeAffinity: draftOf(before) };
    return;
  }
  delete next.affinity?.nodeAffinity;
  const isEmpty = Object.keys(next.affinity ?? {}).length === 0;
  if (old.affinity === undefined && isEmpty) delete next.affinity;
}
