/**
 * Enforces ResourceQuotas. Usage is counted from the changes of the store, so that it is always
 * exact, and written to the status once for all changes of a turn. In namespaces without a quota
 * each change costs one map lookup.
 *
 * Reading order: amounts, usage (what an object uses), scopes (which objects count), this file.
 */
import { isEqual } from "../../api/equal.ts";
import { forbidden } from "../../api/errors.ts";
import type { Pod, ResourceQuota } from "../../api/generated/core.ts";
import type { Draft, KubeObject } from "../../api/object.ts";
import { formatQuantity, getQuantity } from "../../api/quantity.ts";
import { type Kind, storageResource } from "../../kinds/kind.ts";
import type { Change, Store, Subscription } from "../../store/types.ts";
import { type Amounts, addAmounts, formatAmounts, maskAmounts, negated, whole } from "./amounts.ts";
import { isInScope } from "./scopes.ts";
import { resourceOfName, unsaid, usageOf } from "./usage.ts";

export interface Quotas {
  /** Throws a 403 if the object, or its increase in an update, exceeds a quota. */
  charge(kind: Kind, object: KubeObject, old?: KubeObject): void;
  close(): void;
}

export interface QuotaEffects {
  /** Writes the status of a quota. */
  readonly writeStatus: (quota: ResourceQuota, status: Draft<ResourceQuota>["status"]) => void;
  /** Calls back after the current work is done. */
  readonly later: (callback: () => void) => void;
}

const QUOTAS = "resourcequotas";

export function openQuotas(store: Store, effects: QuotaEffects): Quotas {
  const tracker = new QuotaTracker(store, effects);
  return {
    charge: (kind, object, old) => tracker.charge(kind, object, old),
    close: () => tracker.close(),
  };
}

/** A quota and its usage. */
interface Tracked {
  readonly quota: ResourceQuota;
  readonly hard: Amounts;
  /** By resource: the names in the quota that concern its objects. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  used: Amounts;
}

class QuotaTracker {
  readonly #byNamespace = new Map<string, Map<string, Tracked>>();
  readonly #followed = new Map<string, Subscription>();
  readonly #stale = new Set<Tracked>();
  #isClosed = false;

  constructor(
    private readonly store: Store,
    private readonly effects: QuotaEffects,
  ) {
    const { items, revision } = store.list(QUOTAS);
    for (const quota of items) this.#track(quota as ResourceQuota);
    this.#followed.set(
      "",
      store.subscribe(QUOTAS, revision, (change) => this.#onQuota(change)),
    );
  }

  charge(kind: Kind, object: KubeObject, old: KubeObject | undefined): void {
    const quotas = this.#byNamespace.get(object.metadata.namespace ?? "");
    if (!quotas) return;
    const resource = storageResource(kind);
    const charged: Charged = { kind, resource, object, ...(old ? { old } : {}) };
    const ordered = [...quotas.values()].sort(byName);
    // Missing requests or limits are reported before exceeded quotas.
    for (const tracked of ordered) refuseUnsaid(tracked, charged);
    for (const tracked of ordered) refuseExcess(tracked, charged);
  }

  close(): void {
    this.#isClosed = true;
    for (const subscription of this.#followed.values()) subscription.close();
  }

  #onQuota({ type, object, previous }: Change): void {
    const quota = object as ResourceQuota;
    const before = previous as ResourceQuota | undefined;
    if (type === "DELETED") this.#forget(quota);
    else if (!before || !isEqual(before.spec, quota.spec)) this.#track(quota);
    else this.#renew(quota);
  }

  #track(quota: ResourceQuota): void {
    const { namespace = "", name = "" } = quota.metadata;
    const hard: Amounts = new Map(
      Object.entries(quota.spec.hard ?? {}).map(([each, text]) => [each, getQuantity(text)]),
    );
    const names = new Map<string, string[]>();
    for (const each of hard.keys()) {
      const resource = resourceOfName(each);
      names.set(resource, [...(names.get(resource) ?? []), each]);
    }
    const used: Amounts = new Map([...hard.keys()].map((each) => [each, whole(0)]));
    const tracked: Tracked = { quota, hard, names, used };
    for (const resource of names.keys()) {
      this.#follow(resource);
      for (const object of this.store.list(resource, { namespace }).items) {
        tracked.used = addAmounts(tracked.used, shareOf(tracked, resource, object));
      }
    }
    const quotas = this.#byNamespace.get(namespace) ?? new Map<string, Tracked>();
    quotas.set(name, tracked);
    this.#byNamespace.set(namespace, quotas);
    this.#tell(tracked);
  }

  /** The spec is unchanged, only the revision is new. */
  #renew(quota: ResourceQuota): void {
    const { namespace = "", name = "" } = quota.metadata;
    const quotas = this.#byNamespace.get(namespace);
    const tracked = quotas?.get(name);
    if (!quotas || !tracked) return;
    const renewed = { ...tracked, quota };
    quotas.set(name, renewed);
    this.#stale.delete(tracked);
    this.#tell(renewed);
  }

  #forget({ metadata }: ResourceQuota): void {
    const { namespace = "", name = "" } = metadata;
    const quotas = this.#byNamespace.get(namespace);
    quotas?.delete(name);
    if (quotas?.size === 0) this.#byNamespace.delete(namespace);
  }

  /**
   * A resource stays followed even if its quotas are deleted, because they may be created again.
   */
  #follow(resource: string): void {
    if (this.#followed.has(resource)) return;
    const { revision } = this.store;
    const subscription = this.store.subscribe(resource, revision, (change) =>
      this.#onObject(resource, change),
    );
    this.#followed.set(resource, subscription);
  }

  #onObject(resource: string, { type, key, object, previous }: Change): void {
    const quotas = this.#byNamespace.get(key.namespace);
    if (!quotas) return;
    for (const tracked of quotas.values()) {
      if (!tracked.names.has(resource)) continue;
      const gone = previous ?? (type === "DELETED" ? object : undefined);
      const before: Amounts = gone ? shareOf(tracked, resource, gone) : new Map();
      const now: Amounts = type === "DELETED" ? new Map() : shareOf(tracked, resource, object);
      if (formatAmounts(before) === formatAmounts(now)) continue;
      tracked.used = addAmounts(addAmounts(tracked.used, negated(before)), now);
      this.#tell(tracked);
    }
  }

  #tell(tracked: Tracked): void {
    if (this.#stale.size === 0) this.effects.later(() => this.#write());
    this.#stale.add(tracked);
  }

  #write(): void {
    const stale = [...this.#stale];
    this.#stale.clear();
    if (this.#isClosed) return;
    for (const { quota, hard, used } of stale) {
      const status = { hard: texts(hard), used: texts(maskAmounts(used, hard.keys())) };
      const { namespace = "", name = "" } = quota.metadata;
      const isCurrent = this.#byNamespace.get(namespace)?.get(name)?.quota === quota;
      if (isCurrent && !isEqual(quota.status, status)) this.effects.writeStatus(quota, status);
    }
  }
}

function byName(one: Tracked, other: Tracked): number {
  return (one.quota.metadata.name ?? "") < (other.quota.metadata.name ?? "") ? -1 : 1;
}

function texts(amounts: Amounts): { [name: string]: string } {
  const entries = [...amounts].map(([name, amount]) => [name, formatQuantity(amount)] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function shareOf(tracked: Tracked, resource: string, object: KubeObject): Amounts {
  const names = tracked.names.get(resource) ?? [];
  if (!isInScope(tracked.quota, resource, object)) return new Map();
  return maskAmounts(usageOf(resource, object), names);
}

interface Charged {
  readonly kind: Kind;
  readonly resource: string;
  readonly object: KubeObject;
  readonly old?: KubeObject;
}

function refuseUnsaid(tracked: Tracked, { kind, resource, object, old }: Charged): void {
  const names = tracked.names.get(resource);
  if (!names || old || resource !== "pods") return;
  if (!isInScope(tracked.quota, resource, object)) return;
  const problem = unsaid(object as Pod, names);
  if (problem === undefined) return;
  throw refusal(kind, object, `failed quota: ${tracked.quota.metadata.name}: ${problem}`);
}

function refuseExcess(tracked: Tracked, { kind, resource, object, old }: Charged): void {
  const asked = shareOf(tracked, resource, object);
  const before: Amounts = old ? shareOf(tracked, resource, old) : new Map();
  const grown = [...addAmounts(asked, negated(before))].filter(([, { nanos }]) => nanos > 0n);
  const exceeded = grown.filter(([name, { nanos }]) => {
    const limit = tracked.hard.get(name);
    return limit !== undefined && (tracked.used.get(name)?.nanos ?? 0n) + nanos > limit.nanos;
  });
  if (exceeded.length === 0) return;
  const names = exceeded.map(([name]) => name);
  const requested = formatAmounts(new Map(exceeded));
  const used = formatAmounts(maskAmounts(tracked.used, names));
  const limited = formatAmounts(maskAmounts(tracked.hard, names));
  const { name } = tracked.quota.metadata;
  const sums = `requested: ${requested}, used: ${used}, limited: ${limited}`;
  throw refusal(kind, object, `exceeded quota: ${name}, ${sums}`);
}

function refusal({ group, resource }: Kind, { metadata }: KubeObject, problem: string) {
  return forbidden({ group, resource }, metadata.name ?? "", problem);
}
