/**
 * The context of every verb. The server is a set of synchronous functions over it: a verb reads,
 * decides and commits without an await, so that no other request can interfere.
 *
 * Reading order: context, verbs/create, verbs/update, verbs/delete, verbs/list, verbs/watch, then
 * http/handle, which decodes requests into verb calls. Nothing here knows about controllers or
 * processes.
 */

import type { GroupResource } from "../api/errors.ts";
import type { FeatureGates } from "../api/feature-gates.ts";
import type { Draft, KubeObject } from "../api/object.ts";
import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import { type Kind, storageResource } from "../kinds/kind.ts";
import type { ObjectKey, Store } from "../store/types.ts";
import type { Admission } from "./admission/admission.ts";
import type { Annotate } from "./admission/plugin.ts";
import type { User } from "./authorization/user.ts";
import type { TokenSigner } from "./tokens/web-token.ts";

export interface ServerContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly admission: Admission;
  /** By default all features are on. */
  readonly gates?: FeatureGates;
  /** Signs ServiceAccount tokens; absent if the server issues none. */
  readonly signer?: TokenSigner;
}

export interface WriteOptions {
  /** Does everything except the commit. */
  readonly dryRun: boolean;
  /** The user of the request; absent for components inside the process. */
  readonly user?: User;
  /** Adds to the audit event of the request; absent if there is none. */
  readonly annotate?: Annotate;
  /** Skips the computation of warnings, because no client would receive them. */
  readonly isQuiet?: boolean;
  /** The field manager, "" if it has no name; absent: managedFields are not recorded. */
  readonly manager?: string;
}

/** The object, and the warnings for the client. */
export interface Written {
  readonly object: KubeObject;
  readonly warnings: readonly string[];
}

export function keyOf(kind: Kind, namespace: string, name: string): ObjectKey {
  return { resource: storageResource(kind), namespace: kind.namespaced ? namespace : "", name };
}

export function groupResource(kind: Kind): GroupResource {
  return { group: kind.group, resource: kind.resource };
}

/** Validation errors of a view of core objects, such as events.k8s.io, name the core group. */
export function groupKind(kind: Kind): { readonly group: string; readonly kind: string } {
  return { group: kind.storedAs && !kind.custom ? "" : kind.group, kind: kind.kind };
}

/** The object as its kind shows it; the same reference unless the kind is a view of another one. */
export function fromStored(kind: Kind, stored: KubeObject): KubeObject {
  return kind.storedAs ? kind.storedAs.fromStored(stored) : stored;
}

/** The stored object whose unchanged parts need not be decoded again. */
export function partsOf(kind: Kind, old: KubeObject | undefined): KubeObject | undefined {
  return kind.sharesParts ? old : undefined;
}

export function toStored(kind: Kind, object: Draft<KubeObject>): Draft<KubeObject> {
  if (!kind.storedAs) return object;
  return kind.storedAs.toStored(object) as Draft<KubeObject>;
}

/** RFC 3339 with whole seconds, as for every timestamp that the server sets. */
export function timestamp(clock: Clock): string {
  const second = Math.floor(clock.nowMs() / 1000);
  if (second !== lastStamp.second) {
    lastStamp = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  }
  return lastStamp.text;
}

let lastStamp = { second: Number.NaN, text: "" };
