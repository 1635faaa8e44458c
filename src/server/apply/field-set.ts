/**
 * Pure: sets of paths into an object, in the form Kubernetes writes: `{"f:spec": {"f:a": {}}}`.
 *
 * A key is a path element: `f:` a field, `k:` a list item by its keys, `v:` one by its value, `i:`
 * one by its index. If the node below it is empty, the path is a member of the set. Otherwise the
 * node contains longer paths, and `.` in it means that the path itself is a member as well. Sets
 * are never modified, so that they may share parts.
 */

export interface FieldSet {
  readonly [element: string]: FieldSet;
}

export const LEAF: FieldSet = Object.freeze({});
export const NO_FIELDS: FieldSet = LEAF;

const SELF = ".";

/** To be used only at the root: below an element, an empty node means membership. */
export function isEmptySet(set: FieldSet): boolean {
  if (set === LEAF) return true;
  // A loop lists all elements before it begins.
  if (SELF in set) return false;
  for (const _ in set) return false;
  return true;
}

/** Whether the path that leads to this node is a member. */
export function isMember(node: FieldSet): boolean {
  return SELF in node || isEmptySet(node);
}

/** The paths below a node, as a separate set. */
export function below(node: FieldSet): FieldSet {
  if (!(SELF in node)) return node;
  const known = restOf.get(node);
  if (known) return known;
  const rest: MutableSet = {};
  for (const element in node) if (element !== SELF) rest[element] = node[element] ?? LEAF;
  restOf.set(node, rest);
  return rest;
}

/** Cached, because one set is compared with those of many managers. */
const restOf = new WeakMap<FieldSet, FieldSet>();

/** Builds a node from its two halves; undefined if it would be meaningless. */
export function nodeOf(member: boolean, children: FieldSet): FieldSet | undefined {
  if (children === LEAF) return member ? LEAF : undefined;
  if (!member) return isEmptySet(children) ? undefined : children;
  let out: MutableSet | undefined;
  for (const element in children) {
    out ??= { [SELF]: LEAF };
    out[element] = children[element] ?? LEAF;
  }
  return out ?? LEAF;
}

/** A set that is being made. */
export interface MutableSet {
  [element: string]: FieldSet;
}

/** Of a set with thousands of elements, a spread takes four times as long. */
function copyInto(out: MutableSet, set: FieldSet): MutableSet {
  for (const element in set) out[element] = set[element] ?? LEAF;
  return out;
}

/** The set with a single path. */
export function setOfPath(path: readonly string[]): FieldSet {
  let set: FieldSet = LEAF;
  for (const element of [...path].reverse()) set = { [element]: set };
  return set;
}

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path) {
    node = node[element];
    if (node === undefined) return false;
  }
  return path.length > 0 && isMember(node);
}

export function union(one: FieldSet, other: FieldSet): FieldSet {
  if (one === other || isEmptySet(other)) return one;
  if (isEmptySet(one)) return other;
  let out: MutableSet | undefined;
  for (const element in other) {
    const [ours, theirs] = [one[element], other[element]];
    if (theirs === undefined || ours === theirs) continue;
    const joined = ours === undefined ? theirs : joinNodes(ours, theirs);
    if (joined === ours) continue;
    out ??= copyInto({}, one);
    out[element] = joined;
  }
  return out ?? one;
}

/** Visits each element once, however many sets there are. */
export function unionAll(sets: readonly FieldSet[]): FieldSet {
  const [only = NO_FIELDS] = sets;
  if (sets.length <= 1) return only;
  const nodes = new Map<string, FieldSet[]>();
  for (const set of sets) {
    for (const element in set) {
      const node = set[element] ?? LEAF;
      const same = nodes.get(element);
      if (same) same.push(node);
      else nodes.set(element, [node]);
    }
  }
  const out: MutableSet = {};
  for (const [element, same] of nodes) {
    const [first = LEAF] = same;
    const all = same.length === 1 ? first : nodeOf(same.some(isMember), unionAll(same.map(below)));
    out[element] = all ?? LEAF;
  }
  return out;
}

/** Returns the first node itself if the other adds nothing. */
function joinNodes(one: FieldSet, other: FieldSet): FieldSet {
  const [ours, theirs] = [below(one), below(other)];
  const joined = union(ours, theirs);
  const gains = isMember(other) && !isMember(one);
  if (joined === ours && !gains) return one;
  return nodeOf(isMember(one) || isMember(other), joined) ?? LEAF;
}

export function difference(one: FieldSet, other: FieldSet): FieldSet {
  return combine(one, other, (ours, theirs) => {
    if (theirs === undefined) return ours;
    return nodeOf(isMember(ours) && !isMember(theirs), difference(below(ours), below(theirs)));
  });
}

/** The same, but a member also removes everything below it. */
export function recursiveDifference(one: FieldSet, other: FieldSet): FieldSet {
  return combine(one, other, (ours, theirs) => {
    if (theirs === undefined) return ours;
    if (isMember(theirs)) return undefined;
    return nodeOf(isMember(ours), recursiveDifference(below(ours), below(theirs)));
  });
}

export function intersection(one: FieldSet, other: FieldSet): FieldSet {
  return combine(one, other, (ours, theirs) => {
    if (theirs === undefined) return undefined;
    return nodeOf(isMember(ours) && isMember(theirs), intersection(below(ours), below(theirs)));
  });
}

export function equalSets(one: FieldSet, other: FieldSet): boolean {
  if (one === other) return true;
  const elements = Object.keys(one);
  if (elements.length !== Object.keys(other).length) return false;
  return elements.every((element) => {
    const [ours, theirs] = [one[element], other[element]];
    return ours !== undefined && theirs !== undefined && equalSets(ours, theirs);
  });
}

function combine(
  one: FieldSet,
  other: FieldSet,
  keep: (ours: FieldSet, theirs: FieldSet | undefined) => FieldSet | undefined,
): FieldSet {
  const out: MutableSet = {};
  let isSame = true;
  for (const element in one) {
    const ours = one[element] ?? LEAF;
    const kept = keep(ours, other[element]);
    if (kept !== ours) isSame = false;
    if (kept !== undefined) out[element] = kept;
  }
  return isSame ? one : out;
}
