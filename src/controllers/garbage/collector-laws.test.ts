import fc from "fast-check";
import { expect, test } from "vitest";
import { type AtWork, startController } from "../../../test/builders/controller.ts";
import {
  deletableTypes,
  ownerReference,
  priorityClassBody,
  priorityClasses,
} from "../../../test/builders/owned.ts";
import { configMapBody, podBody } from "../../../test/builders/resources.ts";
import type { Client, Name, ResourceType } from "../../api/client.ts";
import type { OwnerReference } from "../../api/generated/meta.ts";
import type { KubeObject } from "../../api/object.ts";
import { configMaps, pods } from "../../api/resources.ts";
import type { Controller } from "../runtime/controller.ts";
import { garbageCollector } from "./garbage-collector.ts";

/** Objects are referred to by numbers, modulo the number of objects created so far. */
interface Owner {
  readonly which: number;
  readonly blocks: boolean;
}

type Step =
  | { readonly kind: "create"; readonly place: number; readonly owners: readonly Owner[] }
  | { readonly kind: "own"; readonly which: number; readonly owner: Owner }
  | {
      readonly kind: "delete";
      readonly which: number;
      readonly policy: "Background" | "Foreground" | "Orphan";
    };

const owner: fc.Arbitrary<Owner> = fc.record({ which: fc.nat(20), blocks: fc.boolean() });

const creation: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("create" as const),
  place: fc.nat(4),
  owners: fc.array(owner, { maxLength: 3 }),
});
const owning: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("own" as const),
  which: fc.nat(20),
  owner,
});
const deletion: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("delete" as const),
  which: fc.nat(20),
  policy: fc.constantFrom("Background" as const, "Foreground" as const, "Orphan" as const),
});

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: creation },
    { weight: 2, arbitrary: owning },
    { weight: 2, arbitrary: deletion },
  ),
  { minLength: 3, maxLength: 25 },
);

interface Made {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

const TYPES: readonly ResourceType[] = [priorityClasses, configMaps, pods];

function bodyOf(place: number, name: string): Made {
  if (place === 0) return { type: priorityClasses, object: priorityClassBody({ name }) };
  if (place === 1) return { type: pods, object: podBody({ name }) };
  const namespace = place === 2 ? "kube-public" : "default";
  return { type: configMaps, object: configMapBody({ name, namespace }) };
}

function placeOf({ type, object }: Made): Name {
  const { namespace = "", name = "" } = object.metadata;
  return type.namespaced ? { namespace, name } : { name };
}

const uidOf = ({ metadata }: KubeObject): string => metadata.uid ?? "";
const isNamespaced = ({ metadata }: KubeObject) => metadata.namespace !== undefined;

function isInReach(dependent: KubeObject, owning: KubeObject): boolean {
  return !isNamespaced(owning) || owning.metadata.namespace === dependent.metadata.namespace;
}

/** Performs the steps, as far as the current state of the objects allows. */
class Actor {
  readonly made: Made[] = [];

  constructor(private readonly client: Client) {}

  /** Returns the object that was created, changed or deleted, in its state at that time. */
  async perform(step: Step): Promise<KubeObject | undefined> {
    if (step.kind === "create") return this.create(step.place, step.owners);
    const target = this.pick(step.which);
    if (!target) return undefined;
    try {
      if (step.kind === "own") return await this.own(target, step.owner);
      const propagationPolicy = step.policy;
      await this.client.delete(target.type, placeOf(target), { propagationPolicy });
      return target.object;
    } catch {
      return undefined;
    }
  }

  private async create(place: number, owners: readonly Owner[]): Promise<KubeObject> {
    const { type, object } = bodyOf(place, `o${this.made.length}`);
    const metadata = { ...object.metadata, ownerReferences: this.references(object, owners) };
    const created = await this.client.create(type, { ...object, metadata });
    this.made.push({ type, object: created });
    return created;
  }

  private async own(target: Made, owner: Owner): Promise<KubeObject | undefined> {
    const ownerReferences = this.references(target.object, [owner]);
    // An object that blocks itself can never be deleted, as in Kubernetes.
    if (ownerReferences[0]?.uid === uidOf(target.object)) return undefined;
    const body = { metadata: { ownerReferences } };
    return this.client.patch(target.type, placeOf(target), { type: "strategic", body });
  }

  /**
   * Cluster-scoped dependents never block: they may never be collected, so their owner could never
   * be deleted.
   */
  private references(dependent: KubeObject, owners: readonly Owner[]): OwnerReference[] {
    const byUid = new Map<string, OwnerReference>();
    for (const { which, blocks } of owners) {
      const found = this.pick(which)?.object;
      if (!found) continue;
      const blockOwnerDeletion = blocks && isNamespaced(dependent);
      byUid.set(uidOf(found), ownerReference(found, { blockOwnerDeletion }));
    }
    return [...byUid.values()];
  }

  private pick(which: number): Made | undefined {
    return this.made[which % Math.max(1, this.made.length)];
  }
}

/** The rule itself, without order or finalizers: an object stays while one of its owners exists. */
class Expectation {
  private readonly everMade = new Map<string, KubeObject>();
  private readonly owners = new Map<string, readonly string[]>();

  take(step: Step, object: KubeObject): void {
    const uid = uidOf(object);
    if (step.kind !== "delete") {
      const references = object.metadata.ownerReferences ?? [];
      this.everMade.set(uid, object);
      this.owners.set(uid, references.map(uidOfReference));
    } else {
      if (step.policy === "Orphan") this.disownAll(uid);
      this.owners.delete(uid);
    }
    while (this.collectOne());
  }

  uids(): string[] {
    return [...this.owners.keys()].sort();
  }

  private disownAll(uid: string): void {
    for (const [each, owners] of this.owners) {
      const others = owners.filter((owner) => owner !== uid);
      this.owners.set(each, others);
    }
  }

  private collectOne(): boolean {
    for (const [uid, owners] of this.owners) {
      const object = this.object(uid);
      const isUndecidable = owners.some(
        (owner) => !isNamespaced(object) && isNamespaced(this.object(owner)),
      );
      const living = owners.filter(
        (owner) => this.owners.has(owner) && isInReach(object, this.object(owner)),
      );
      if (isUndecidable || living.length === owners.length) continue;
      if (living.length > 0) this.owners.set(uid, living);
      else this.owners.delete(uid);
      return true;
    }
    return false;
  }

  private object(uid: string): KubeObject {
    const found = this.everMade.get(uid);
    if (!found) throw new Error(`${uid} was never made`);
    return found;
  }
}

const uidOfReference = ({ uid }: OwnerReference): string => uid;

async function present(client: Client): Promise<KubeObject[]> {
  const lists = await Promise.all(TYPES.map((type) => client.list(type)));
  const isOurs = ({ metadata }: KubeObject) => /^o\d+$/.test(metadata.name ?? "");
  return lists.flatMap(({ items }) => items).filter(isOurs);
}

const collector = garbageCollector(deletableTypes);

test("in the end exactly the objects are left that Kubernetes keeps", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (each) => {
      const { client, settle, stop, server } = await startController(collector);
      const actor = new Actor(client);
      const expectation = new Expectation();
      for (const step of each) {
        const object = await actor.perform(step);
        if (object) expectation.take(step, object);
        await settle();
        expect((await present(client)).map(uidOf).sort()).toEqual(expectation.uids());
      }
      expect(server.clock.untilNextMs()).toBeUndefined();
      stop();
    }),
    { numRuns: 200 },
  );
});

interface Watched {
  /** By UID, the current state of all objects. */
  readonly objects: Map<string, KubeObject>;
  /** Objects that were deleted although one of their owners was alive. */
  readonly wronged: string[];
}

/** The collector with delayed requests, so that other requests come in between. */
function slow(turnsOf: readonly number[], { objects, wronged }: Watched): Controller {
  let requests = 0;
  const wait = async (): Promise<void> => {
    const turns = turnsOf[requests++ % turnsOf.length] ?? 0;
    for (let turn = 0; turn < turns; turn++) await undefined;
  };
  const start: Controller["start"] = (context) => {
    const { client } = context;
    const get: Client["get"] = async (...request) => {
      await wait();
      return client.get(...request);
    };
    const patch: Client["patch"] = async (...request) => {
      await wait();
      return client.patch(...request);
    };
    const remove: Client["delete"] = async (type, name, request) => {
      await wait();
      const uid = request?.preconditions?.uid ?? "";
      const isWronged = hasLivingOwner(objects, uid);
      await client.delete(type, name, request);
      if (isWronged) wronged.push(uid);
    };
    return collector.start({ ...context, client: { ...client, get, patch, delete: remove } });
  };
  return { ...collector, start };
}

function hasLivingOwner(objects: ReadonlyMap<string, KubeObject>, uid: string): boolean {
  const object = objects.get(uid);
  return (object?.metadata.ownerReferences ?? []).some((reference) => {
    const owning = objects.get(reference.uid);
    if (!object || !owning || !isInReach(object, owning)) return false;
    return owning.metadata.deletionTimestamp === undefined;
  });
}

async function watchAll(client: Client, objects: Map<string, KubeObject>): Promise<void> {
  for (const type of TYPES) {
    const { resourceVersion } = await client.list(type);
    const onEvent = (event: { readonly type: string; readonly object: KubeObject }) => {
      if (event.type === "DELETED") objects.delete(uidOf(event.object));
      else objects.set(uidOf(event.object), event.object);
    };
    client.watch(type, { resourceVersion }, { onEvent, onEnd: () => {} });
  }
}

async function settleForGood({ server, settle }: AtWork): Promise<void> {
  await settle();
  for (let delayMs = server.clock.untilNextMs(); delayMs !== undefined; ) {
    server.clock.advance(delayMs);
    await settle();
    delayMs = server.clock.untilNextMs();
  }
}

const turns = fc.array(fc.nat(12), { minLength: 1, maxLength: 20 });

test("in any order of requests, no object with a living owner is deleted", async () => {
  await fc.assert(
    fc.asyncProperty(steps, turns, turns, async (each, turnsOf, pauses) => {
      const watched: Watched = { objects: new Map(), wronged: [] };
      const atWork = await startController(slow(turnsOf, watched), (client) =>
        watchAll(client, watched.objects),
      );
      const actor = new Actor(atWork.client);
      for (const [at, step] of each.entries()) {
        await actor.perform(step);
        const pause = pauses[at % pauses.length] ?? 0;
        for (let turn = 0; turn < pause; turn++) await undefined;
      }
      await settleForGood(atWork);
      expect(watched.wronged).toEqual([]);
      const left = await present(atWork.client);
      const ending = left.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
      const staying = left.filter((object) => !ending.includes(object));
      expect(ending.filter((object) => !isBlockedBy(ending, object))).toEqual([]);
      expect(staying.filter((object) => isGarbage(watched.objects, object))).toEqual([]);
      atWork.stop();
    }),
    { numRuns: 200 },
  );
});

/** If all objects of a cycle are deleted in the foreground, they wait for one another forever. */
function isBlockedBy(ending: readonly KubeObject[], object: KubeObject): boolean {
  return ending.some(({ metadata }) =>
    metadata.ownerReferences?.some(
      ({ uid, blockOwnerDeletion }) => uid === uidOf(object) && blockOwnerDeletion,
    ),
  );
}

function isGarbage(objects: ReadonlyMap<string, KubeObject>, object: KubeObject): boolean {
  const references = object.metadata.ownerReferences ?? [];
  const isUndecidable = references.some(
    ({ kind }) => !isNamespaced(object) && kind !== priorityClasses.kind,
  );
  return references.length > 0 && !isUndecidable && !hasLivingOwner(objects, uidOf(object));
}
