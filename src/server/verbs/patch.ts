/**
 * PATCH: applies the patch to the newest state, decodes the result, then continues like an update.
 */
import { ApiError, invalidObject, notFound } from "../../api/errors.ts";
import { invalid } from "../../api/finding.ts";
import type { Draft, Json, KubeObject } from "../../api/object.ts";
import { type Decoded, DecodeError, decodeObject } from "../../api/schema/decode.ts";
import { decodePatched, type ExpectedKind } from "../../api/schema/kind-of-body.ts";
import { parsed } from "../../api/schema/parsed-json.ts";
import { apiVersionOf, type Kind } from "../../kinds/kind.ts";
import {
  fromStored,
  groupResource,
  keyOf,
  partsOf,
  type ServerContext,
  type WriteOptions,
  type Written,
} from "../context.ts";
import { applyPatch, type PatchType } from "../patch/apply-patch.ts";
import { matchNamespace } from "./create.ts";
import { dropRepeatedOwners } from "./owner-references.ts";
import { matchName, replace, track, type UpdateTarget } from "./update.ts";

export interface Patch {
  readonly type: PatchType;
  readonly body: string;
}

export interface Patched extends Written {
  /** Unknown and duplicate fields of the patched object. */
  readonly strict: readonly string[];
}

export function patch(
  server: ServerContext,
  target: UpdateTarget,
  change: Patch,
  options: WriteOptions,
  /** Called before anything is written; throws if fieldValidation rejects the patch. */
  judge: (strict: readonly string[], shown: () => string) => void,
): Patched {
  const { kind, namespace, name } = target;
  refuseStrategic(kind, change.type);
  const stored = server.store.get(keyOf(kind, namespace, name));
  if (!stored) throw notFound(groupResource(kind), name);
  const current = fromStored(kind, stored);
  const { result, strict, shown } = applyPatch({ ...change, current, message: kind.message });
  const known = partsOf(kind, current);
  const decoded = decodeOutcome(kind, change.type, { result, shown, known });
  // A strategic merge loses the order of the client's fields.
  const unknown = change.type === "strategic" ? decoded.strict.sort() : decoded.strict;
  const findings = [...strict, ...unknown];
  judge(findings, shown);
  const next = decoded.object;
  matchName(next, name);
  matchNamespace(kind.namespaced, namespace, next);
  kind.rules.setDefaults?.(next, server.gates, known);
  const repeated = dropRepeatedOwners(next, "patched");
  const managed = track(server, target, current, next, options);
  const { object, warnings } = replace(server, target, current, next, options, managed);
  return { object, warnings: [...repeated, ...warnings], strict: findings };
}

/** Strategic merges need Go types, which say how lists are merged; custom resources have none. */
export function refuseStrategic({ custom }: Kind, type: PatchType): void {
  if (!custom || type !== "strategic") return;
  const problem = "the body of the request was in an unknown format";
  const accepted =
    "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
  const message = `${problem} - accepted media types include: ${accepted}`;
  throw new ApiError(415, "UnsupportedMediaType", message);
}

interface Outcome {
  readonly result: Json;
  readonly shown: () => string;
  readonly known: KubeObject | undefined;
}

/** A patch whose result is not an object of the kind is invalid. */
export function decodeOutcome(
  expected: ExpectedKind,
  type: PatchType,
  { result, shown, known }: Outcome,
): Decoded<Draft<KubeObject>> {
  const typeMeta = { apiVersion: apiVersionOf(expected), kind: expected.kind };
  try {
    // A strategic merge works on the typed object, whose kind it cannot change.
    return type === "strategic"
      ? decodeObject(parsed(result), expected.message, typeMeta, known)
      : decodePatched(parsed(result), expected, known);
  } catch (error) {
    if (error instanceof DecodeError) throw invalidPatch(shown(), error.message);
    throw error;
  }
}

export function invalidPatch(shown: string, problem: string): ApiError {
  return invalidObject({ group: "", kind: "" }, "", [invalid("patch", shown, problem)]);
}
