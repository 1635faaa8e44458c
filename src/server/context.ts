/**
 * What every verb works with. The server is a set of synchronous functions over this context: a
 * verb reads, decides and commits without an await, so no other request can come in between.
 *
 * Reading order: context, verbs/create, verbs/update, verbs/delete, verbs/list, verbs/watch, then
 * http/handle for how bytes become calls of them. Nothing here knows a controller or a process.
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
  /** All features are on where it is absent. */
  readonly gates?: FeatureGates;
  /** Signs the tokens of ServiceAccounts; absent where nobody asks for one. */
  readonly signer?: TokenSigner;
}

export interface WriteOptions {
  /** Everything happens but the commit. */
  readonly dryRun: boolean;
  /** Who asks; absent for the components inside the process. */
  readonly user?: User;
  /** Adds to the audit event of the request; absent where there is none. */
  readonly annotate?: Annotate;
  /** There is nobody to warn. */
  readonly isQuiet?: boolean;
  /** To whom the written fields belong, "" if it has no name; absent: nobody keeps track. */
  readonly manager?: string;
}

/** An object and what the client should be warned of. */
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

/** What is invalid about a view of another kind's objects is said of that kind. */
export function groupKind(kind: Kind): { readonly group: string; readonly kind: string } {
  return { group: kind.storedAs && !kind.custom ? "" : kind.group, kind: kind.kind };
}

/** The object as its kind shows it; the same reference unless the kind is a view of another. */
export function fromStored(kind: Kind, stored: KubeObject): KubeObject {
  return kind.storedAs ? kind.storedAs.fromStored(stored) : stored;
}

/** What the decoding of a changed object may take over from the object as it was. */
export function partsOf(kind: Kind, old: KubeObject | undefined): KubeObject | undefined {
  return kind.sharesParts ? old : undefined;
}

export function toStored(kind: Kind, object: Draft<KubeObject>): Draft<KubeObject> {
  if (!kind.storedAs) return object;
  return kind.storedAs.toStored(object) as Draft<KubeObject>;
}

/** RFC 3339 in seconds, as every timestamp the server sets. */
export function timestamp(clock: Clock): string {
  const second = Math.floor(clock.nowMs() / 1000);
  if (second !== lastStamp.second) {
    lastStamp = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  }
  return lastStamp.text;
}

let lastStamp = { second: Number.NaN, text: "" };
