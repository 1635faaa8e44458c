/**
 * Who depends on whom, by uid. Every change answers with the uids that are worth a look now; it
 * costs as much as the object has owners, and as much as it has dependents only when it comes to
 * pass that these are concerned: it is gone, it waits for them, or it is not what they took it for.
 *
 * An owner that no cache has shown has no node here, only dependents: whether it exists is asked of
 * the server, in the words of each dependent, since these may differ.
 */
import { isEqual } from "../../api/equal.ts";
import type { OwnerReference } from "../../api/generated/meta.ts";
import { isOwnerOf, type Node } from "./node.ts";

interface Dependents {
  readonly all: Set<string>;
  /** Those that hold their owner back when it is deleted in the foreground. */
  readonly blocking: Set<string>;
}

export class DependencyGraph {
  private readonly nodes = new Map<string, Node>();
  private readonly dependents = new Map<string, Dependents>();

  find(uid: string): Node | undefined {
    return this.nodes.get(uid);
  }

  uids(): IterableIterator<string> {
    return this.nodes.keys();
  }

  dependentsOf(uid: string): Node[] {
    const found: Node[] = [];
    for (const dependent of this.dependents.get(uid)?.all ?? []) {
      const node = this.nodes.get(dependent);
      if (node) found.push(node);
    }
    return found;
  }

  isBlocked(uid: string): boolean {
    return (this.dependents.get(uid)?.blocking.size ?? 0) > 0;
  }

  put(node: Node): Set<string> {
    const { uid, phase } = node;
    const before = this.nodes.get(uid);
    if (before && before.phase === phase && isEqual(before.owners, node.owners)) return new Set();
    this.nodes.set(uid, node);
    this.unlink(before?.owners ?? [], uid);
    this.link(node);
    const concerned = new Set(this.released(before?.owners ?? []));
    if (this.needsLook(uid)) concerned.add(uid);
    if (!before) {
      for (const dependent of this.dependentsOf(uid)) {
        if (this.hasDoubtfulOwner(dependent)) concerned.add(dependent.uid);
      }
    }
    if (phase === "deletingDependents" && before?.phase !== phase) {
      for (const dependent of this.dependentsOf(uid)) concerned.add(dependent.uid);
    }
    return concerned;
  }

  remove(uid: string): Set<string> {
    const node = this.nodes.get(uid);
    if (!node) return new Set();
    this.nodes.delete(uid);
    this.unlink(node.owners, uid);
    return new Set([...(this.dependents.get(uid)?.all ?? []), ...this.released(node.owners)]);
  }

  /** Whether there may be something to do about this one, as it is. */
  needsLook(uid: string): boolean {
    const node = this.nodes.get(uid);
    switch (node?.phase) {
      case "living":
        return this.hasDoubtfulOwner(node);
      case "orphaning":
        return true;
      case "deletingDependents":
        return !this.isBlocked(uid);
      default:
        return false;
    }
  }

  private hasDoubtfulOwner(node: Node): boolean {
    return node.owners.some((reference) => {
      const owner = this.nodes.get(reference.uid);
      if (!owner || owner.phase === "deletingDependents") return true;
      return !isOwnerOf(owner, node, reference);
    });
  }

  /** Owners that waited for their dependents and need wait no longer. */
  private released(references: readonly OwnerReference[]): string[] {
    return references
      .map(({ uid }) => uid)
      .filter((uid) => this.nodes.get(uid)?.phase === "deletingDependents" && !this.isBlocked(uid));
  }

  private link({ uid, owners }: Node): void {
    for (const owner of owners) {
      const dependents = this.dependents.get(owner.uid) ?? { all: new Set(), blocking: new Set() };
      this.dependents.set(owner.uid, dependents);
      dependents.all.add(uid);
      if (owner.blockOwnerDeletion) dependents.blocking.add(uid);
    }
  }

  private unlink(owners: readonly OwnerReference[], uid: string): void {
    for (const owner of owners) {
      const dependents = this.dependents.get(owner.uid);
      dependents?.all.delete(uid);
      dependents?.blocking.delete(uid);
      if (dependents?.all.size === 0) this.dependents.delete(owner.uid);
    }
  }
}
