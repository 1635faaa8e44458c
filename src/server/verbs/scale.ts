/** The scale of a workload: its replica count as an autoscaling/v1 Scale. */
import { conflict, invalidObject, MODIFIED } from "../../api/errors.ts";
import { invalid } from "../../api/finding.ts";
import type { Scale } from "../../api/generated/autoscaling.ts";
import type { LabelSelector } from "../../api/generated/meta.ts";
import { type Draft, draftOf, type KubeObject } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { formatLabelSelector } from "../../api/print/selector.ts";
import type { Cell } from "../../kinds/kind.ts";
import { ageColumn, column, nameColumn } from "../../kinds/meta/columns.ts";
import { groupResource, type ServerContext, type WriteOptions } from "../context.ts";
import { applyPatch } from "../patch/apply-patch.ts";
import { matchNamespace } from "./create.ts";
import { get } from "./get.ts";
import { decodeOutcome, type Patch } from "./patch.ts";
import { matchName, preconditionFailed, replace, type UpdateTarget } from "./update.ts";

const OF_SCALED = "number of instances for the scaled object.";
const OBSERVED = "replicas is the actual number of observed instances of the scaled object.";

/** What the server knows of it besides the verbs: how to decode it and how to print it. */
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
  return toScale(find(server, target), target);
}

export function updateScale(
  server: ServerContext,
  target: UpdateTarget,
  given: Draft<KubeObject>,
  options: WriteOptions,
): KubeObject {
  matchTarget(given, target);
  const object = find(server, target);
  const { uid } = given.metadata;
  if (uid !== undefined && uid !== object.metadata.uid) {
    throw preconditionFailed(target, "UID", uid, object.metadata.uid ?? "");
  }
  return write(server, target, object, given as unknown as Draft<Scale>, options);
}

function matchTarget(given: Draft<KubeObject>, { kind, namespace, name }: UpdateTarget): void {
  matchName(given, name);
  matchNamespace(kind.namespaced, namespace, given);
}

export function patchScale(
  server: ServerContext,
  target: UpdateTarget,
  change: Patch,
  options: WriteOptions,
  judge: (strict: readonly string[], shown: () => string) => void,
): KubeObject {
  const object = find(server, target);
  const current = toScale(object, target);
  const { result, strict, shown } = applyPatch({ ...change, current, message: SCALE.message });
  const decoded = decodeOutcome(SCALE, change.type, { result, shown, known: undefined });
  judge([...strict, ...decoded.strict], shown);
  matchTarget(decoded.object, target);
  matchUid(decoded.object, object, target);
  return write(server, target, object, decoded.object as unknown as Draft<Scale>, options);
}

function matchUid(
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

function find(server: ServerContext, { kind, namespace, name }: UpdateTarget): Scalable {
  return get(server, kind, namespace, name) as Scalable;
}

function toScale(object: Scalable, { kind }: UpdateTarget): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = selectorText(object.spec.selector, kind.kind);
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
    spec: { ...(object.spec.replicas ? { replicas: object.spec.replicas } : {}) },
    status: {
      replicas: object.status.replicas ?? 0,
      ...(selector === "" ? {} : { selector }),
    },
  };
}

/** A ReplicationController selects by a plain map, all others by a label selector. */
function selectorText(selector: unknown, kind: string): string {
  if (selector === undefined || selector === null) return "";
  const labelSelector =
    kind === "ReplicationController" ? { matchLabels: selector } : (selector as object);
  const text = formatLabelSelector(labelSelector as LabelSelector);
  return text === "<none>" ? "" : text;
}

function write(
  server: ServerContext,
  target: UpdateTarget,
  object: Scalable,
  scale: Draft<Scale>,
  options: WriteOptions,
): KubeObject {
  const given = scale.metadata.resourceVersion ?? "";
  if (given !== "" && given !== "0" && given !== object.metadata.resourceVersion) {
    throw conflict(groupResource(target.kind), target.name, MODIFIED);
  }
  const replicas = scale.spec.replicas ?? 0;
  if (replicas < 0) {
    const problem = "must be greater than or equal to 0";
    throw invalidObject(SCALE, target.name, [invalid("spec.replicas", replicas, problem)]);
  }
  const next = draftOf(object);
  next.spec.replicas = replicas;
  const written = replace(server, target, object, next as Draft<KubeObject>, options);
  return toScale(written.object as Scalable, target);
}
