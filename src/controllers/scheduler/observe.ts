/**
 * Applies changes of pods and nodes to the scheduler's memory. Each function returns whether there
 * may be something to do now.
 */
import { isEqual } from "../../api/equal.ts";
import type { Node, Pod } from "../../api/generated/core.ts";
import type { CacheChange } from "../../client/cache.ts";
import { podKey, type SchedulerMemory } from "./memory.ts";
import { isGated, isUnplaced, withClaims } from "./needs.ts";
import { nodeFacts } from "./node-facts.ts";

export function observeNode(memory: SchedulerMemory, change: CacheChange<Node>): boolean {
  const { rooms, pending } = memory;
  const { name = "" } = change.object.metadata;
  if (change.type === "DELETED") {
    rooms.removeNode(name);
  } else {
    const facts = nodeFacts(change.object);
    // A node reports its health every few seconds, usually without relevant changes.
    if (isEqual(facts, rooms.findNode(name))) return false;
    rooms.setNode(facts);
  }
  pending.reconsider();
  return pending.size > 0;
}

export function observePod(
  memory: SchedulerMemory,
  { type, object, previous }: CacheChange<Pod>,
  nowMs: number,
): boolean {
  if (type === "DELETED") return forget(memory, podKey(object));
  if ((object.spec.nodeName ?? "") !== "") {
    // Most changes only affect the status of pods that already have a node.
    return previous?.spec === object.spec ? false : observePlaced(memory, object);
  }
  const key = podKey(object);
  if (isUnplaced(object) && !isGated(object)) {
    memory.gated.delete(key);
    return observePending(memory, object, nowMs);
  }
  const isFreed = forget(memory, key);
  if (isUnplaced(object)) memory.gated.add(key);
  return isFreed;
}

/** Returns whether its removal frees resources for waiting pods. */
function forget(memory: SchedulerMemory, key: string): boolean {
  const { rooms, pending, gated, nominations } = memory;
  gated.delete(key);
  pending.remove(key);
  nominations.remove(key);
  memory.preparing.delete(key);
  if (!rooms.release(key)) return false;
  pending.reconsider();
  return pending.size > 0;
}

function observePlaced(memory: SchedulerMemory, pod: Pod): boolean {
  const { rooms, pending, needs, gated, nominations } = memory;
  const key = podKey(pod);
  nominations.remove(key);
  const { uid = "" } = pod.metadata;
  const { nodeName = "" } = pod.spec;
  pending.remove(key);
  gated.delete(key);
  memory.preparing.delete(key);
  const charged = rooms.findCharge(key);
  const isSame = charged?.uid === uid && charged.node === nodeName;
  const asked = withClaims(pod, needs.of(pod.spec));
  if (isSame && charged.needs.signature === asked.signature) return false;
  rooms.charge(key, { uid, node: nodeName, needs: asked });
  if (!charged) return false;
  pending.reconsider();
  return pending.size > 0;
}

/** A pod that is assumed to be on a node stays there until its binding fails. */
function observePending(memory: SchedulerMemory, pod: Pod, nowMs: number): boolean {
  const { rooms, pending, needs, nominations } = memory;
  const key = podKey(pod);
  const { uid = "" } = pod.metadata;
  if (rooms.findCharge(key)?.uid === uid) return false;
  const asked = withClaims(pod, needs.of(pod.spec));
  const known = pending.find(key);
  if (known?.uid === uid && known.needs.signature === asked.signature) return false;
  const { nominatedNodeName: node = "" } = pod.status;
  const waiting = { key, uid, needs: asked, sinceMs: nowMs };
  nominations.remove(key);
  if (node === "") {
    pending.add(waiting);
  } else {
    // The nomination comes from an earlier scheduler. Its victims are recognized by their
    // condition.
    nominations.set(key, { node, needs: asked, victims: new Set() });
    pending.nominate(waiting, node);
  }
  return true;
}
