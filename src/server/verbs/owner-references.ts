/** Pure: removes duplicate owner references and warns about them. */
import type { OwnerReference } from "../../api/generated/meta.ts";
import type { Draft, KubeObject } from "../../api/object.ts";

/** Whether the duplicate was in the sent object or is the result of a patch. */
export type Seen = "sent" | "patched";

/** Removes duplicate references; returns warnings. */
export function dropRepeatedOwners(object: Draft<KubeObject>, seen: Seen): string[] {
  const references = object.metadata.ownerReferences ?? [];
  if (references.length < 2) return [];
  const kept = new Map<string, Draft<OwnerReference>>();
  const repeated: string[] = [];
  for (const reference of references) {
    const identity = JSON.stringify(Object.entries(reference).sort(byKey));
    if (kept.has(identity)) repeated.push(reference.uid);
    else kept.set(identity, reference);
  }
  if (repeated.length === 0) return [];
  object.metadata.ownerReferences = [...kept.values()];
  const when = seen === "patched" ? " after mutating admission happens" : "";
  return [
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner ` +
      "references in 1.20+, and may reject such requests as early as 1.24; please fix your " +
      `requests; duplicate UID(s) observed: ${[...new Set(repeated)].join(", ")}`,
  ];
}

function byKey([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}
