/** POST of an object: name it, admit it, validate it, commit it. */
import { ApiError, alreadyExists, badRequest, invalidObject } from "../../api/errors.ts";
import type { ManagedFieldsEntry, ObjectMeta } from "../../api/generated/meta.ts";
import type { Draft, KubeObject } from "../../api/object.ts";
import type { Kind } from "../../kinds/kind.ts";
import { validateCommonMeta } from "../../kinds/meta/object-meta.ts";
import type { AdmissionRequest } from "../admission/plugin.ts";
import { type Entries, trackUpdate } from "../apply/field-manager.ts";
import { fieldWriter } from "../apply/writer.ts";
import {
  fromStored,
  groupKind,
  groupResource,
  keyOf,
  type ServerContext,
  timestamp,
  toStored,
  type WriteOptions,
  type Written,
} from "../context.ts";
import { requester, settle } from "./admit.ts";
import { dropRepeatedOwners } from "./owner-references.ts";

/** As in Kubernetes: a generated name keeps 58 characters of its base and is tried 8 times. */
const GENERATED_BASE_MAX = 58;
const GENERATED_NAME_TRIES = 8;

export function create(
  server: ServerContext,
  kind: Kind,
  namespace: string,
  object: Draft<KubeObject>,
  options: WriteOptions,
  /** The managed fields, if they are already known. */
  owners?: { readonly managedFields: Entries | undefined },
): Written {
  if (kind.custom?.isTerminating) throw terminating();
  const metadata = object.metadata;
  matchNamespace(kind.namespaced, namespace, object);
  // A resourceVersion that is not a number is ignored.
  if (/^0*[1-9][0-9]*$/.test(metadata.resourceVersion ?? "")) {
    throw badRequest("resourceVersion should not be set on objects to be created");
  }
  if (metadata.name === undefined && metadata.generateName !== undefined) {
    metadata.name = freeName(server, kind, namespace, metadata.generateName);
  }
  // A client cannot create an object that is being deleted.
  if (metadata.deletionTimestamp !== undefined) delete metadata.deletionTimestamp;
  if (metadata.deletionGracePeriodSeconds !== undefined) delete metadata.deletionGracePeriodSeconds;
  const repeated = dropRepeatedOwners(object, "sent");
  const managed = owners ? owners.managedFields : trackCreate(server, kind, object, options);
  try {
    const written = createNamed(server, kind, namespace, { object, managed }, options);
    return { object: written.object, warnings: [...repeated, ...written.warnings] };
  } catch (error) {
    if (error instanceof ApiError) error.withWarnings([...repeated, ...error.warnings]);
    throw error;
  }
}

/** The managed fields of a new object. */
export function trackCreate(
  server: ServerContext,
  kind: Kind,
  object: Draft<KubeObject>,
  { manager }: WriteOptions,
): Entries | undefined {
  if (manager === undefined) return undefined;
  const sent = object.metadata.managedFields as Entries | undefined;
  return trackUpdate(fieldWriter(server, kind, "", manager), undefined, object, sent);
}

function terminating(): ApiError {
  const message = "create not allowed while custom resource definition is terminating";
  return new ApiError(405, "MethodNotAllowed", message, {});
}

function createNamed(
  server: ServerContext,
  kind: Kind,
  namespace: string,
  { object, managed }: { object: Draft<KubeObject>; managed: Entries | undefined },
  options: WriteOptions,
): Written {
  const sentRevision = object.metadata.resourceVersion;
  const request: AdmissionRequest = {
    operation: "create",
    kind,
    namespace,
    object,
    ...requester(options),
  };
  const admitted = server.admission.admit(request);
  const early = options.isQuiet ? [] : (kind.rules.warningsBeforeCreate?.(object) ?? []);
  fillMetadata(server, kind, object, managed);
  kind.rules.prepareForCreate?.(object, server.gates);
  const name = object.metadata.name ?? "";
  const findings = kind.rules.validate(object);
  if (findings.length > 0) throw invalidObject(groupKind(kind), name, findings);
  const common = validateCommonMeta(object.metadata, kind.namespaced);
  if (common.length > 0) throw invalidObject(groupKind(kind), name, common);
  const own = options.isQuiet ? [] : (kind.rules.warningsOnCreate?.(object) ?? []);
  const warnings = settle(server, request, [...admitted, ...early, ...own]);
  const key = keyOf(kind, namespace, name);
  const present = server.store.get(key);
  if (present) throw nameTaken(kind, present, warnings);
  if (options.dryRun) {
    // A dry run keeps the ignored resourceVersion, because only storing replaces it.
    if (sentRevision) object.metadata.resourceVersion = sentRevision;
    else delete object.metadata.resourceVersion;
    return { object, warnings };
  }
  const stored = server.store.create(key, toStored(kind, object));
  return { object: fromStored(kind, stored), warnings };
}

/** A valid object gets its warnings even if its name exists already. */
function nameTaken(kind: Kind, present: KubeObject, warnings: readonly string[]): ApiError {
  const { name = "", deletionTimestamp } = present.metadata;
  const taken = alreadyExists(groupResource(kind), name);
  if (deletionTimestamp === undefined) return taken.withWarnings(warnings);
  const message = `object is being deleted: ${taken.message}`;
  const { details } = taken.status;
  return new ApiError(409, "AlreadyExists", message, details).withWarnings(warnings);
}

/**
 * The object gets the namespace of the URL. A different one is an error; for a cluster-scoped kind
 * it is removed.
 */
export function matchNamespace(
  namespaced: boolean,
  namespace: string,
  object: Draft<KubeObject>,
): void {
  const { metadata } = object;
  const given = metadata.namespace;
  if (!namespaced) {
    if (given !== undefined) delete metadata.namespace;
    return;
  }
  if (given !== undefined && given !== namespace) {
    throw badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  }
  metadata.namespace = namespace;
}

/** The name cannot be taken between here and the commit, because a verb is never interrupted. */
function freeName(server: ServerContext, kind: Kind, namespace: string, base: string): string {
  let name = "";
  for (let attempt = 0; attempt < GENERATED_NAME_TRIES; attempt++) {
    name = `${base.slice(0, GENERATED_BASE_MAX)}${server.random.suffix()}`;
    if (!server.store.get(keyOf(kind, namespace, name))) return name;
  }
  const cause = alreadyExists(groupResource(kind), name);
  const problem = "the server was not able to generate a unique name for the object";
  const message = `${cause.message}, ${problem}`;
  throw new ApiError(409, "AlreadyExists", message, {
    ...cause.status.details,
    name: base,
    retryAfterSeconds: 1,
  });
}

function fillMetadata(
  server: ServerContext,
  kind: Kind,
  object: Draft<KubeObject>,
  managed: Entries | undefined,
): void {
  const given = object.metadata;
  const metadata: Draft<ObjectMeta> = {};
  if (given.name !== undefined) metadata.name = given.name;
  if (given.generateName !== undefined) metadata.generateName = given.generateName;
  if (given.namespace !== undefined) metadata.namespace = given.namespace;
  metadata.uid = server.random.uuid();
  metadata.resourceVersion = "";
  const generation = kind.hasGeneration ? 1 : given.generation;
  if (generation !== undefined) metadata.generation = generation;
  metadata.creationTimestamp = timestamp(server.clock);
  if (given.labels !== undefined) metadata.labels = given.labels;
  if (given.annotations !== undefined) metadata.annotations = given.annotations;
  if (given.ownerReferences !== undefined) metadata.ownerReferences = given.ownerReferences;
  if (given.finalizers !== undefined) metadata.finalizers = given.finalizers;
  if (managed !== undefined) metadata.managedFields = managed as Draft<ManagedFieldsEntry>[];
  object.metadata = metadata;
}
