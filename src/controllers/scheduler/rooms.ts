/**
 * Pure: the resources that pods use on each node, updated pod by pod, so that the cost of placing a
 * pod does not grow with the number of pods. A pod may be charged before its node is known.
 */

import { ANY_ADDRESS, type HostPort, type PodNeeds } from "./needs.ts";
import type { NodeFacts } from "./node-facts.ts";

export interface NodeRoom {
  readonly facts: NodeFacts;
  readonly use: NodeUse;
}

export interface NodeUse {
  /** CPU in thousandths, everything else in whole units. */
  readonly amounts: ReadonlyMap<string, number>;
  readonly pods: number;
  readonly hostPorts: readonly HostPort[];
}

export interface Charge {
  readonly uid: string;
  readonly node: string;
  readonly needs: PodNeeds;
}

export interface ChargedPod extends Charge {
  readonly key: string;
}

interface GrowingUse extends NodeUse {
  readonly amounts: Map<string, number>;
  pods: number;
  readonly hostPorts: HostPort[];
}

/** The use of the node with some pods added or removed hypothetically. */
export function supposeUse(
  { amounts, pods, hostPorts }: NodeUse,
  { added = [], removed = [] }: Supposed,
): NodeUse {
  const use = { amounts: new Map(amounts), pods, hostPorts: [...hostPorts] };
  for (const needs of removed) shrink(use, needs);
  for (const needs of added) grow(use, needs);
  return use;
}

interface Supposed {
  readonly added?: readonly PodNeeds[];
  readonly removed?: readonly PodNeeds[];
}

export class Rooms {
  readonly #facts = new Map<string, NodeFacts>();
  readonly #uses = new Map<string, GrowingUse>();
  readonly #charges = new Map<string, Charge>();
  /** How many pods have each priority, on all nodes. */
  readonly #priorities = new Map<number, number>();
  #known: readonly NodeRoom[] | undefined;

  /** The known nodes. */
  get nodes(): readonly NodeRoom[] {
    this.#known ??= [...this.#facts.values()].map((facts) => ({
      facts,
      use: this.#use(facts.name),
    }));
    return this.#known;
  }

  findNode(name: string): NodeFacts | undefined {
    return this.#facts.get(name);
  }

  setNode(facts: NodeFacts): void {
    this.#facts.set(facts.name, facts);
    this.#known = undefined;
  }

  removeNode(name: string): void {
    this.#facts.delete(name);
    this.#known = undefined;
    if (this.#uses.get(name)?.pods === 0) this.#uses.delete(name);
  }

  findCharge(key: string): Charge | undefined {
    return this.#charges.get(key);
  }

  /** Whether any charged pod has a lower priority. */
  hasBelow(priority: number): boolean {
    for (const each of this.#priorities.keys()) if (each < priority) return true;
    return false;
  }

  /** The pods of lower priority, by node. */
  chargesBelow(priority: number): ReadonlyMap<string, readonly ChargedPod[]> {
    const found = new Map<string, ChargedPod[]>();
    for (const [key, charge] of this.#charges) {
      if (charge.needs.priority >= priority) continue;
      const here = found.get(charge.node);
      if (here) here.push({ key, ...charge });
      else found.set(charge.node, [{ key, ...charge }]);
    }
    return found;
  }

  /** Replaces an earlier charge of the pod. */
  charge(key: string, charge: Charge): void {
    this.release(key);
    this.#charges.set(key, charge);
    grow(this.#use(charge.node), charge.needs);
    const { priority } = charge.needs;
    this.#priorities.set(priority, (this.#priorities.get(priority) ?? 0) + 1);
  }

  /** Returns whether the pod was charged. */
  release(key: string): boolean {
    const charge = this.#charges.get(key);
    if (!charge) return false;
    this.#charges.delete(key);
    const use = this.#use(charge.node);
    shrink(use, charge.needs);
    const { priority } = charge.needs;
    const left = (this.#priorities.get(priority) ?? 0) - 1;
    if (left > 0) this.#priorities.set(priority, left);
    else this.#priorities.delete(priority);
    if (use.pods === 0 && !this.#facts.has(charge.node)) this.#uses.delete(charge.node);
    return true;
  }

  #use(node: string): GrowingUse {
    const known = this.#uses.get(node);
    if (known) return known;
    const use = { amounts: new Map<string, number>(), pods: 0, hostPorts: [] };
    this.#uses.set(node, use);
    return use;
  }
}

/** Two ports conflict on the same address, or if one of them uses all addresses. */
export function conflicts(one: HostPort, other: HostPort): boolean {
  if (one.port !== other.port || one.protocol !== other.protocol) return false;
  return one.ip === other.ip || one.ip === ANY_ADDRESS || other.ip === ANY_ADDRESS;
}

function grow(use: GrowingUse, { requests, hostPorts }: PodNeeds): void {
  use.pods += 1;
  for (const [resource, amount] of requests) {
    use.amounts.set(resource, (use.amounts.get(resource) ?? 0) + amount);
  }
  use.hostPorts.push(...hostPorts);
}

function shrink(use: GrowingUse, { requests, hostPorts }: PodNeeds): void {
  use.pods -= 1;
  for (const [resource, amount] of requests) {
    use.amounts.set(resource, (use.amounts.get(resource) ?? 0) - amount);
  }
  for (const port of hostPorts) removePort(use.hostPorts, port);
}

function removePort(ports: HostPort[], { ip, protocol, port }: HostPort): void {
  const at = ports.findIndex(
    (each) => each.ip === ip && each.protocol === protocol && each.port === port,
  );
  if (at >= 0) ports.splice(at, 1);
}
