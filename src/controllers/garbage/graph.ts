/**
 * The dependency graph, by UID. Every change returns the UIDs of the objects that must now be
 * reconciled. Its cost depends on the number of owners of the object. The number of dependents only
 * matters if they are affected: when the object is gone, when it waits for them, or when it does
 * not match their owner references.
 *
 * An owner that no cache contains has no node here, only dependents. Whether it exists is checked
 * on the server, once for each dependent, because their references may differ.
 */
import { isEqual } from "../../api/equal.ts";
import type { OwnerReference } from "../../api/generated/meta.ts";
import { isOwnerOf, type Node } from "./node.ts";

interface Dependents {
  readonly all: Set<string>;
  /** Dependents that block the foreground deletion of their owner. */
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

  /** Whether this object may need an action in its current state. */
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

  /** Owners that waited for their dependents and are no longer blocked. */
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
