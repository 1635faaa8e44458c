/**
 * PUT and the second half of PATCH: restore immutable metadata, validate, commit.
 *
 * The steps are those of Kubernetes' BeforeUpdate: metadata is repaired, the kind prepares, the
 * metadata is validated, then the kind validates (which includes the metadata again, so that causes
 * about metadata appear twice).
 */

import { isEqual } from "../../api/equal.ts";
import {
  type ApiError,
  badRequest,
  conflict,
  invalidObject,
  MODIFIED,
  notFound,
} from "../../api/errors.ts";
import { invalid } from "../../api/finding.ts";
import type { ManagedFieldsEntry } from "../../api/generated/meta.ts";
import type { Draft, KubeObject } from "../../api/object.ts";
import type { Kind } from "../../kinds/kind.ts";
import { validateCommonMetaUpdate } from "../../kinds/meta/object-meta.ts";
import type { AdmissionRequest } from "../admission/plugin.ts";
import { type Entries, trackUpdate } from "../apply/field-manager.ts";
import { fieldWriter } from "../apply/writer.ts";
import {
  fromStored,
  groupKind,
  groupResource,
  keyOf,
  type ServerContext,
  toStored,
  type WriteOptions,
  type Written,
} from "../context.ts";
import { requester, settle } from "./admit.ts";
import { create, matchNamespace } from "./create.ts";
import { dropRepeatedOwners } from "./owner-references.ts";

export interface UpdateTarget {
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  /** The part of the object that the request is about. */
  readonly part: "object" | "status" | "ephemeralcontainers" | "resize" | "finalize";
}

export interface Updated extends Written {
  readonly created: boolean;
}

export function update(
  server: ServerContext,
  target: UpdateTarget,
  object: Draft<KubeObject>,
  options: WriteOptions,
): Updated {
  const { kind, namespace, name } = target;
  matchNamespace(kind.namespaced, namespace, object);
  matchName(object, name);
  const stored = server.store.get(keyOf(kind, namespace, name));
  if (!stored) return createOnUpdate(server, target, object, options);
  const old = fromStored(kind, stored);
  const uid = object.metadata.uid;
  if (uid !== undefined && uid !== old.metadata.uid) {
    throw preconditionFailed(target, "UID", uid, old.metadata.uid ?? "");
  }
  const repeated = dropRepeatedOwners(object, "sent");
  const managed = track(server, target, old, object, options);
  const written = replace(server, target, old, object, options, managed);
  return { object: written.object, warnings: [...repeated, ...written.warnings], created: false };
}

export interface Owners {
  readonly managedFields: Entries | undefined;
}

/** The managed fields after the update; undefined if they are not recorded. */
export function track(
  server: ServerContext,
  { kind, part }: UpdateTarget,
  old: KubeObject,
  next: Draft<KubeObject>,
  { manager }: WriteOptions,
): Owners | undefined {
  if (manager === undefined) return undefined;
  const sent = next.metadata.managedFields as Entries | undefined;
  if (sent === undefined && old.metadata.managedFields === undefined) return undefined;
  const writer = fieldWriter(server, kind, part === "object" ? "" : part, manager);
  return { managedFields: trackUpdate(writer, old, next, sent) };
}

/** Commits the next state of an object that was already read. */
export function replace(
  server: ServerContext,
  target: UpdateTarget,
  old: KubeObject,
  next: Draft<KubeObject>,
  options: WriteOptions,
  owners: Owners = old.metadata as Owners,
): Written {
  const { kind, name } = target;
  matchRevision(target, old, next);
  repairMetadata(next, old, owners);
  const request: AdmissionRequest = {
    operation: "update",
    kind,
    namespace: target.namespace,
    ...(target.part === "object" ? {} : { part: target.part }),
    object: next,
    old,
    ...requester(options),
  };
  const admitted = server.admission.admit(request);
  prepare(server, target, next, old);
  const findings = [
    ...validateCommonMetaUpdate(next.metadata, old.metadata, kind.namespaced),
    ...validate(server, target, next, old),
  ];
  if (findings.length > 0) throw invalidObject(groupKind(kind), name, findings);
  const isWarned = target.part === "object" && !options.isQuiet;
  const own = isWarned ? (kind.rules.warningsOnUpdate?.(next, old) ?? []) : [];
  const warnings = settle(server, request, [...admitted, ...own]);
  return { object: commit(server, target, old, next, options), warnings };
}

function commit(
  server: ServerContext,
  target: UpdateTarget,
  old: KubeObject,
  next: Draft<KubeObject>,
  options: WriteOptions,
): KubeObject {
  const { kind, namespace, name } = target;
  const key = keyOf(kind, namespace, name);
  const revision = old.metadata.resourceVersion ?? "";
  next.metadata.resourceVersion = revision;
  if (isEqual(next, old) && (kind.rules.isStoredAsShown?.(old) ?? true)) return old;
  if (isReleased(next, old)) {
    if (!options.dryRun) server.store.remove(key, revision);
    return next;
  }
  if (options.dryRun) return next;
  return fromStored(kind, server.store.update(key, toStored(kind, next), revision));
}

/** Whether the last finalizer of an object that is being deleted is gone. */
function isReleased(next: Draft<KubeObject>, old: KubeObject): boolean {
  if (old.metadata.deletionTimestamp === undefined) return false;
  if ((next.metadata.finalizers?.length ?? 0) > 0) return false;
  if (old.kind === "Namespace") return namespaceIsReleased(next);
  return (old.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

function namespaceIsReleased(next: Draft<KubeObject>): boolean {
  const spec = (next as { spec?: { finalizers?: string[] } }).spec;
  return (spec?.finalizers?.length ?? 0) === 0;
}

export function matchName(object: Draft<KubeObject>, name: string): void {
  const given = object.metadata.name;
  if (given === undefined) {
    const problem = "name must be provided";
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: ${problem}`,
    );
  }
  if (given !== name) {
    throw badRequest(
      `the name of the object (${given}) does not match the name on the URL (${name})`,
    );
  }
}

function createOnUpdate(
  server: ServerContext,
  target: UpdateTarget,
  object: Draft<KubeObject>,
  options: WriteOptions,
): Updated {
  const { kind, namespace, name } = target;
  if (!kind.createsOnUpdate || target.part !== "object") {
    throw notFound(groupResource(kind), name);
  }
  const uid = object.metadata.uid;
  if (uid !== undefined) throw preconditionFailed(target, "UID", uid, "");
  if (object.metadata.resourceVersion !== undefined) {
    throw conflict(groupResource(kind), name, MODIFIED);
  }
  return { ...create(server, kind, namespace, object, options), created: true };
}

/** The error of Kubernetes' storage if the object is not the expected one. */
export function preconditionFailed(
  target: UpdateTarget,
  field: "UID" | "ResourceVersion",
  given: string,
  actual: string,
): ApiError {
  const { kind, namespace, name } = target;
  const key = ["/registry", kind.resource, ...(kind.namespaced ? [namespace] : []), name].join("/");
  const values = `${field} in precondition: ${given}, ${field} in object meta: ${actual}`;
  const problem =
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, ` +
    `AdditionalErrorMsg: Precondition failed: ${values}`;
  return conflict(groupResource(kind), name, problem);
}

/** The resourceVersion must match the stored one; if it is absent, any revision matches. */
function matchRevision(target: UpdateTarget, old: KubeObject, next: Draft<KubeObject>): void {
  const given = next.metadata.resourceVersion ?? "";
  if (given === "" || given === "0") {
    if (target.kind.requiresResourceVersion) {
      const missing = invalid("metadata.resourceVersion", 0, "must be specified for an update");
      const { group, resource } = groupResource(target.kind);
      throw invalidObject({ group, kind: resource }, target.name, [missing]);
    }
    next.metadata.resourceVersion = old.metadata.resourceVersion ?? "";
    return;
  }
  if (!/^[0-9]+$/.test(given)) {
    throw badRequest(`strconv.ParseUint: parsing ${JSON.stringify(given)}: invalid syntax`);
  }
  if (given !== old.metadata.resourceVersion) {
    throw conflict(groupResource(target.kind), target.name, MODIFIED);
  }
}

/** Restores metadata that clients cannot change. */
function repairMetadata(next: Draft<KubeObject>, old: KubeObject, { managedFields }: Owners): void {
  const metadata = next.metadata;
  const before = old.metadata;
  delete metadata.selfLink;
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields as Draft<ManagedFieldsEntry>[];
  if (before.generation === undefined) delete metadata.generation;
  else metadata.generation = before.generation;
  if (metadata.uid === undefined && before.uid !== undefined) metadata.uid = before.uid;
  if (before.creationTimestamp !== undefined) metadata.creationTimestamp = before.creationTimestamp;
  if (before.deletionTimestamp !== undefined) metadata.deletionTimestamp = before.deletionTimestamp;
  if (
    before.deletionGracePeriodSeconds !== undefined &&
    metadata.deletionGracePeriodSeconds === undefined
  ) {
    metadata.deletionGracePeriodSeconds = before.deletionGracePeriodSeconds;
  }
}

function prepare(
  { gates }: ServerContext,
  { kind, part }: UpdateTarget,
  next: Draft<KubeObject>,
  old: KubeObject,
): void {
  if (part === "status") {
    if (kind.rules.prepareForStatusUpdate) kind.rules.prepareForStatusUpdate(next, old);
    else keepAllButStatus(next, old);
    return;
  }
  if (part === "object") {
    keepStatus(kind, next, old);
    kind.rules.prepareForUpdate?.(next, old, gates);
  } else kind.rules.parts?.[part]?.prepare(next, old);
  if (!kind.hasGeneration || isEqual(desired(kind, next), desired(kind, old))) return;
  next.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

type Parts = { [key: string]: unknown };

function keepStatus(kind: Kind, next: Draft<KubeObject>, old: KubeObject): void {
  if (!hasStatus(kind)) return;
  const status = (old as unknown as Parts)["status"];
  if (status === undefined) delete (next as unknown as Parts)["status"];
  else (next as unknown as Parts)["status"] = status;
}

function keepAllButStatus(next: Draft<KubeObject>, old: KubeObject): void {
  const parts = next as unknown as Parts;
  const before = old as unknown as Parts;
  for (const field of new Set([...Object.keys(parts), ...Object.keys(before)])) {
    if (field === "status" || field === "metadata") continue;
    if (before[field] === undefined) delete parts[field];
    else parts[field] = before[field];
  }
}

/** The fields whose changes increase the generation. */
function desired(kind: Kind, object: KubeObject | Draft<KubeObject>): Parts {
  const { metadata: _metadata, ...content } = object as unknown as Parts;
  // In a custom kind without a status subresource, the status is a field like any other.
  if (kind.custom && !hasStatus(kind)) return content;
  const { status: _status, ...rest } = content;
  return rest;
}

function hasStatus({ subresources }: Kind): boolean {
  return subresources?.some(({ name }) => name === "status") ?? false;
}

function validate(
  { gates }: ServerContext,
  { kind, part }: UpdateTarget,
  next: Draft<KubeObject>,
  old: KubeObject,
) {
  if (part === "object") return kind.rules.validateUpdate(next, old, gates);
  if (part === "status") return kind.rules.validateStatusUpdate?.(next, old, gates) ?? [];
  return kind.rules.parts?.[part]?.validate(next, old) ?? [];
}
