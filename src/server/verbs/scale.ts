/** The scale of a workload: its replica count as an autoscaling/v1 Scale. */
import { conflict, internalError, invalidObject, MODIFIED } from "../../api/errors.ts";
import { invalid, quote } from "../../api/finding.ts";
import type { Scale } from "../../api/generated/autoscaling.ts";
import type { LabelSelector } from "../../api/generated/meta.ts";
import { type Draft, draftOf, type KubeObject } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { formatLabelSelector } from "../../api/print/selector.ts";
import { apiVersionOf, type Cell, type Kind } from "../../kinds/kind.ts";
import { ageColumn, column, nameColumn } from "../../kinds/meta/columns.ts";
import { type Entries, trackUpdate } from "../apply/field-manager.ts";
import { fieldElement } from "../apply/path-element.ts";
import { fromScaleFields, toScaleFields } from "../apply/scale-fields.ts";
import { fieldWriter } from "../apply/writer.ts";
import { groupResource, type ServerContext, type WriteOptions } from "../context.ts";
import { applyPatch } from "../patch/apply-patch.ts";
import { matchNamespace } from "./create.ts";
import { get } from "./get.ts";
import { decodeOutcome, type Patch, refuseStrategic } from "./patch.ts";
import {
  matchName,
  type Owners,
  preconditionFailed,
  replace,
  type UpdateTarget,
} from "./update.ts";

const OF_SCALED = "number of instances for the scaled object.";
const OBSERVED = "replicas is the actual number of observed instances of the scaled object.";

/** The facts about the kind that decoding and printing need. */
export const SCALE = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  message: "autoscaling/v1.Scale",
  columns: [
    { ...nameColumn, format: "" },
    column("Desired", `replicas is the desired ${OF_SCALED}`, { type: "integer" }),
    column("Available", OBSERVED, { type: "integer" }),
    ageColumn,
  ],
  cells: (object: KubeObject, now: Date): Cell[] => {
    const { metadata, spec, status } = object as Scale;
    const { name = "", creationTimestamp } = metadata;
    return [name, spec.replicas ?? 0, status.replicas, age(creationTimestamp, now)];
  },
} as const;

interface Scalable extends KubeObject {
  readonly spec: { readonly replicas?: number; readonly selector?: unknown };
  readonly status: { readonly replicas?: number };
}

export function getScale(server: ServerContext, target: UpdateTarget): KubeObject {
  const object = findScaled(server, target);
  const fields = target.kind.custom?.scale;
  if (fields && fields.specReplicas(object) === undefined) {
    throw internalError(`the spec replicas field ${quote(fields.specReplicasPath)} does not exist`);
  }
  return toScale(object, target);
}

export function updateScale(
  server: ServerContext,
  target: UpdateTarget,
  given: Draft<KubeObject>,
  options: WriteOptions,
): KubeObject {
  matchTarget(given, target);
  const object = findScaled(server, target);
  const { uid } = given.metadata;
  if (uid !== undefined && uid !== object.metadata.uid) {
    throw preconditionFailed(target, "UID", uid, object.metadata.uid ?? "");
  }
  return writeScale(server, target, object, given as unknown as Draft<Scale>, options);
}

export function matchTarget(
  given: Draft<KubeObject>,
  { kind, namespace, name }: UpdateTarget,
): void {
  matchNamespace(kind.namespaced, namespace, given);
  matchName(given, name);
}

export function patchScale(
  server: ServerContext,
  target: UpdateTarget,
  change: Patch,
  options: WriteOptions,
  judge: (strict: readonly string[], shown: () => string) => void,
): KubeObject {
  refuseStrategic(target.kind, change.type);
  const object = findScaled(server, target);
  const current = toScale(object, target);
  const { result, strict, shown } = applyPatch({ ...change, current, message: SCALE.message });
  const decoded = decodeOutcome(SCALE, change.type, { result, shown, known: undefined });
  judge([...strict, ...decoded.strict], shown);
  matchTarget(decoded.object, target);
  matchUid(decoded.object, object, target);
  return writeScale(server, target, object, decoded.object as unknown as Draft<Scale>, options);
}

export const SCALE_KIND = { ...SCALE, resource: "" };

/** The scale with the managed fields of the object's replica count. */
export function scaleWithOwners(object: Scalable, target: UpdateTarget): Scale {
  const scale = toScale(object, target);
  const { managedFields: parent } = object.metadata;
  const managedFields = toScaleFields(parent, apiVersionOf(target.kind), replicasPath(target.kind));
  if (managedFields === undefined) return scale;
  return { ...scale, metadata: { ...scale.metadata, managedFields } };
}

export function ownersAfter(
  object: Scalable,
  { kind }: UpdateTarget,
  scale: Entries | undefined,
): Owners {
  const { managedFields: parent } = object.metadata;
  const path = replicasPath(kind);
  return { managedFields: fromScaleFields(parent, scale, apiVersionOf(kind), path) };
}

function replicasPath({ custom }: Kind): readonly string[] {
  const path = custom?.scale?.specReplicasPath ?? ".spec.replicas";
  return path.split(".").slice(1).map(fieldElement);
}

function trackScale(
  server: ServerContext,
  target: UpdateTarget,
  object: Scalable,
  scale: Draft<Scale>,
  { manager }: WriteOptions,
): Owners | undefined {
  if (manager === undefined || object.metadata.managedFields === undefined) return undefined;
  const writer = fieldWriter(server, SCALE_KIND, "scale", manager);
  const current = scaleWithOwners(object, target);
  return ownersAfter(object, target, trackUpdate(writer, current, scale, undefined));
}

export function matchUid(
  given: Draft<KubeObject>,
  object: KubeObject,
  { kind, name }: UpdateTarget,
): void {
  const { uid } = given.metadata;
  if (uid === undefined || uid === object.metadata.uid) return;
  const target = { group: kind.group, resource: `${kind.resource}/scale` };
  const values = `UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid}`;
  throw conflict(target, name, `Precondition failed: ${values}`);
}

export function findScaled(
  server: ServerContext,
  { kind, namespace, name }: UpdateTarget,
): Scalable {
  return get(server, kind, namespace, name) as Scalable;
}

function toScale(object: Scalable, { kind }: UpdateTarget): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { replicas, observed, selector } = countsOf(object, kind);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: { ...(replicas ? { replicas } : {}) },
    status: {
      replicas: observed,
      ...(selector === "" ? {} : { selector }),
    },
  };
}

interface Counts {
  readonly replicas: number;
  readonly observed: number;
  readonly selector: string;
}

/** A custom resource defines the paths of these fields. */
function countsOf(object: Scalable, kind: Kind): Counts {
  const fields = kind.custom?.scale;
  if (fields) {
    return {
      replicas: fields.specReplicas(object) ?? 0,
      observed: fields.statusReplicas(object),
      selector: fields.selector(object),
    };
  }
  return {
    replicas: object.spec.replicas ?? 0,
    observed: object.status.replicas ?? 0,
    selector: selectorText(object.spec.selector, kind.kind),
  };
}

/** A ReplicationController has a plain map as selector, all others have a label selector. */
function selectorText(selector: unknown, kind: string): string {
  if (selector === undefined || selector === null) return "";
  const labelSelector =
    kind === "ReplicationController" ? { matchLabels: selector } : (selector as object);
  const text = formatLabelSelector(labelSelector as LabelSelector);
  return text === "<none>" ? "" : text;
}

export function writeScale(
  server: ServerContext,
  target: UpdateTarget,
  object: Scalable,
  scale: Draft<Scale>,
  options: WriteOptions,
  /** The managed fields, if they are already known. */
  known?: Owners,
): KubeObject {
  const given = scale.metadata.resourceVersion ?? "";
  if (given !== "" && given !== "0" && given !== object.metadata.resourceVersion) {
    throw conflict(groupResource(target.kind), target.name, MODIFIED);
  }
  const owners = known ?? trackScale(server, target, object, scale, options);
  const replicas = scale.spec.replicas ?? 0;
  if (replicas < 0) {
    const problem = "must be greater than or equal to 0";
    throw invalidObject(SCALE, target.name, [invalid("spec.replicas", replicas, problem)]);
  }
  const next = draftOf(object);
  const fields = target.kind.custom?.scale;
  if (fields) fields.setSpecReplicas(next as Draft<KubeObject>, replicas);
  else next.spec.replicas = replicas;
  // Scaling does not change the template, so admission must not annotate the audit event for it.
  const { annotate: _annotate, ...silent } = options;
  const written = replace(server, target, object, next as Draft<KubeObject>, silent, owners);
  return toScale(written.object as Scalable, target);
}
