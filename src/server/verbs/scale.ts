/** The scale of a workload: its replica count as an autoscaling/v1 Scale. */
import { conflict, invalidObject, MODIFIED } from "../../api/errors.ts";
import { invalid } from "../../api/finding.ts";
import type { Scale } from "../../api/generated/autoscaling.ts";
import type { LabelSelector } from "../../api/generated/meta.ts";
import { type Draft, draftOf, type KubeObject } from "../../api/object.ts";
import { decodeObject } from "../../api/schema/decode.ts";
import { parsed } from "../../api/schema/parsed-json.ts";
import { formatLabelSelector } from "../../kinds/print/selector.ts";
import { groupResource, type ServerContext, type WriteOptions } from "../context.ts";
import { applyPatch } from "../patch/apply-patch.ts";
import { get } from "./get.ts";
import type { Patch } from "./patch.ts";
import { matchName, replace, type UpdateTarget } from "./update.ts";

export const SCALE = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  message: "autoscaling/v1.Scale",
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
  const object = find(server, target);
  matchName(given, target.name);
  return write(server, target, object, given as unknown as Draft<Scale>, options);
}

export function patchScale(
  server: ServerContext,
  target: UpdateTarget,
  change: Patch,
  options: WriteOptions,
  judge: (strict: readonly string[], shown: string) => void,
): KubeObject {
  const object = find(server, target);
  const current = toScale(object, target);
  const { result, strict, shown } = applyPatch({ ...change, current, message: SCALE.message });
  const typeMeta = { apiVersion: current.apiVersion, kind: current.kind };
  const decoded = decodeObject(parsed(result), SCALE.message, typeMeta);
  judge([...strict, ...decoded.strict], shown);
  matchName(decoded.object, target.name);
  return write(server, target, object, decoded.object as unknown as Draft<Scale>, options);
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
