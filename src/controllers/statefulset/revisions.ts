/** Pure: the history of a StatefulSet's templates, as ControllerRevisions, and which to keep. */
import { isEqual } from "../../api/equal.ts";
import type { ControllerRevision, StatefulSet } from "../../api/generated/apps.ts";
import type { PodTemplateSpec } from "../../api/generated/core.ts";
import { referenceTo, type Version } from "./new-pod.ts";

const HASH_LABEL = "controller.kubernetes.io/hash";

/** The template as a patch that restores it, which "kubectl rollout undo" applies. */
interface TemplatePatch {
  readonly spec: { readonly template: PodTemplateSpec & { readonly $patch: "replace" } };
}

export function versionOf({ metadata, data }: ControllerRevision): Version {
  const { $patch: _replace, ...template } = (data as TemplatePatch).spec.template;
  return { name: metadata.name ?? "", template };
}

/** Oldest first. */
export function byRevision(one: ControllerRevision, other: ControllerRevision): number {
  if (one.revision !== other.revision) return one.revision - other.revision;
  const [first = "", second = ""] = [one, other].map(
    ({ metadata }) => `${metadata.creationTimestamp ?? ""} ${metadata.name ?? ""}`,
  );
  return first < second ? -1 : 1;
}

export type RevisionPlan =
  | { readonly kind: "use"; readonly revision: ControllerRevision }
  /** An earlier template is used again: its revision becomes the latest. */
  | { readonly kind: "renumber"; readonly revision: ControllerRevision; readonly to: number }
  | { readonly kind: "create"; readonly revision: ControllerRevision };

/** Plans the revision for the current template. `revisions` must be sorted. */
export function planRevision(
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
  collisions: number,
): RevisionPlan {
  const latest = revisions.at(-1);
  const number = (latest?.revision ?? 0) + 1;
  const wanted = newRevision(set, number, collisions);
  const equal = revisions.filter(({ data }) => isEqual(data, wanted.data)).at(-1);
  if (equal === undefined) return { kind: "create", revision: wanted };
  if (equal === latest) return { kind: "use", revision: equal };
  return { kind: "renumber", revision: equal, to: number };
}

function newRevision(set: StatefulSet, revision: number, collisions: number): ControllerRevision {
  const { template } = set.spec;
  const data: TemplatePatch = { spec: { template: { ...template, $patch: "replace" } } };
  const hash = hashOf(JSON.stringify(sorted(data)), collisions);
  const { name = "", namespace = "", annotations } = set.metadata;
  return {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: `${name.slice(0, 223)}-${hash}`,
      namespace,
      labels: { ...template.metadata.labels, [HASH_LABEL]: hash },
      ...(annotations ? { annotations } : {}),
      ownerReferences: [referenceTo(set)],
    },
    data,
    revision,
  };
}

/** Sorts keys, so that equal templates produce equal texts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sorted(each)]));
}

/** FNV-1 with 32 bits, encoded in an alphabet that does not form words. */
function hashOf(text: string, collisions: number): string {
  let hash = 0x811c9dc5;
  const bytes = new TextEncoder().encode(collisions > 0 ? `${text}${collisions}` : text);
  for (const byte of bytes) hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  return [...String(hash)].map((digit) => LETTERS[digit.charCodeAt(0) % LETTERS.length]).join("");
}

const LETTERS = "bcdfghjklmnpqrstvwxz2456789";

/** The oldest unused revisions beyond the history limit. */
export function surplusRevisions(
  { spec }: StatefulSet,
  revisions: readonly ControllerRevision[],
  used: ReadonlySet<string>,
): readonly ControllerRevision[] {
  const unused = revisions.filter(({ metadata }) => !used.has(metadata.name ?? ""));
  return unused.slice(0, Math.max(0, unused.length - (spec.revisionHistoryLimit ?? 10)));
}
