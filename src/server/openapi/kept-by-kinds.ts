/** Caches documents about kinds: each is composed again only when its kinds change. */
import type { Kind } from "../../kinds/kind.ts";

export function keptByKinds<T>(
  compose: (kinds: readonly Kind[]) => T,
): (kinds: readonly Kind[]) => T {
  // Keyed by the first kind, so that entries for discarded kinds are garbage-collected.
  const kept = new WeakMap<Kind, { readonly kinds: readonly Kind[]; readonly document: T }>();
  return (kinds) => {
    const [first] = kinds;
    const known = first && kept.get(first);
    if (known && isSame(known.kinds, kinds)) return known.document;
    const document = compose(kinds);
    if (first) kept.set(first, { kinds: [...kinds], document });
    return document;
  };
}

function isSame(known: readonly Kind[], kinds: readonly Kind[]): boolean {
  return known.length === kinds.length && known.every((kind, at) => kind === kinds[at]);
}
