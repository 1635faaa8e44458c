/** "tally apply": creates what its manifests describe, and changes what is there already. */
import { ApiError } from "../api/errors.ts";
import type { KubeObject } from "../api/object.ts";
import { findMessageOfKind } from "../api/schema/tables.ts";
import { UsageError } from "../base/usage-error.ts";
import { collectionPath, objectPath, query } from "../client/http-requests.ts";
import { CommandFailure } from "../command/command-failure.ts";
import { failureOf } from "../command/error-text.ts";
import { compactJson } from "../command/json-format.ts";
import type { Machine } from "../command/machine.ts";
import { type Fields, isEmptyPatch, threeWayPatch } from "./apply/three-way-patch.ts";
import { type Cluster, type ClusterFlags, openCluster } from "./cluster/cluster.ts";
import { apiVersionOf, formatKindName } from "./cluster/discovery.ts";
import { type Manifest, readManifests } from "./cluster/read-manifests.ts";
import { objectPrinter } from "./output/object-printer.ts";

export interface ApplyFlags extends ClusterFlags {
  readonly filename: readonly string[];
  readonly recursive?: boolean;
  readonly dryRun: string;
  readonly output?: string;
}

export async function apply(flags: ApplyFlags, machine: Machine): Promise<void> {
  const printer = objectPrinter(flags.output);
  const isDry = readDryRun(flags.dryRun);
  const cluster = await openCluster(flags, machine);
  try {
    const manifests = await readManifests(cluster, flags, machine);
    const errors: unknown[] = [];
    const applied: { readonly type: Manifest["type"]; readonly object: KubeObject }[] = [];
    for (const manifest of manifests) {
      try {
        const { object, what } = await applyOne(cluster, manifest, { isDry, machine });
        applied.push({ type: manifest.type, object });
        if (printer) continue;
        const name = formatKindName(manifest.type, object.metadata.name ?? "");
        machine.writeOut(`${name} ${what}${isDry ? " (server dry run)" : ""}\n`);
      } catch (error) {
        errors.push(error);
      }
    }
    const [only] = applied;
    if (printer && only && manifests.length === 1) machine.writeOut(printer.one(only));
    else if (printer && applied.length > 0) machine.writeOut(printer.many(applied));
    const failure = failureOf(errors);
    if (failure) throw failure;
  } finally {
    cluster.close();
  }
}

function readDryRun(given: string): boolean {
  if (given === "server" || given === "none") return given === "server";
  throw new UsageError(`--dry-run must be server or none, not ${JSON.stringify(given)}`);
}

interface Applied {
  readonly object: KubeObject;
  readonly what: "created" | "configured" | "unchanged";
}

interface Applying {
  readonly isDry: boolean;
  readonly machine: Machine;
}

async function applyOne(
  cluster: Cluster,
  manifest: Manifest,
  applying: Applying,
): Promise<Applied> {
  const { type, object, source } = manifest;
  const { name, generateName } = object.metadata;
  if (!name) {
    if (!generateName) throw new CommandFailure(`error: from ${source}: name is required`);
    const why = "cannot use generate name with apply";
    throw new CommandFailure(`error: from ${generateName}: ${why}`);
  }
  const path = objectPath(type, nameOf(object));
  const current = await cluster.ask<KubeObject>({ method: "GET", path }).catch((error) => {
    if (error instanceof ApiError && error.code === 404) return undefined;
    throw withContext(error, `error when retrieving current configuration of ${source}: `);
  });
  if (current === undefined) return createOne(cluster, manifest, applying);
  return patchOne(cluster, manifest, current, applying);
}

function nameOf({ metadata }: KubeObject): { readonly name: string; readonly namespace?: string } {
  const { name = "", namespace } = metadata;
  return { name, ...(namespace === undefined ? {} : { namespace }) };
}

/** The name kubectl uses, so that either can go on where the other left off. */
const MANAGER = "kubectl-client-side-apply";

function parametersOf(isDry: boolean): string {
  return query({
    fieldManager: MANAGER,
    fieldValidation: "Strict",
    dryRun: isDry ? "All" : undefined,
  });
}

async function createOne(
  cluster: Cluster,
  { type, object, source }: Manifest,
  { isDry }: Applying,
): Promise<Applied> {
  const path = `${collectionPath(type, object.metadata.namespace)}${parametersOf(isDry)}`;
  const body = { contentType: "application/json", text: JSON.stringify(annotated(object)) };
  const created = await cluster.ask<KubeObject>({ method: "POST", path, body }).catch((error) => {
    throw withContext(error, `error when creating "${source}": `);
  });
  return { object: created, what: "created" };
}

async function patchOne(
  cluster: Cluster,
  { type, object, source }: Manifest,
  current: KubeObject,
  { isDry, machine }: Applying,
): Promise<Applied> {
  const applied = current.metadata.annotations?.[LAST_APPLIED];
  if (applied === undefined) machine.writeError(missingAnnotation(type.resource, current));
  const message = findMessageOfKind(type);
  const original: unknown = applied === undefined ? undefined : JSON.parse(applied);
  const patch = threeWayPatch({ original, modified: annotated(object), current }, message);
  if (isEmptyPatch(patch)) return { object: current, what: "unchanged" };
  const merge = message === undefined ? "merge-patch" : "strategic-merge-patch";
  const patched = await cluster
    .ask<KubeObject>({
      method: "PATCH",
      path: `${objectPath(type, nameOf(object))}${parametersOf(isDry)}`,
      body: { contentType: `application/${merge}+json`, text: JSON.stringify(patch) },
    })
    .catch((error) => {
      throw withContext(error, patchContext({ type, object, source }, patch));
    });
  return { object: patched, what: "configured" };
}

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** The object with the text of itself, which the next apply compares with. */
function annotated(object: KubeObject): KubeObject {
  const { [LAST_APPLIED]: _, ...annotations } = object.metadata.annotations ?? {};
  const plain = { ...object, metadata: { ...object.metadata, annotations } };
  const text = `${compactJson(plain)}\n`;
  const all = { ...annotations, [LAST_APPLIED]: text };
  return { ...object, metadata: { ...object.metadata, annotations: all } };
}

function missingAnnotation(resource: string, { metadata }: KubeObject): string {
  return (
    `Warning: resource ${resource}/${metadata.name} is missing the ${LAST_APPLIED} annotation ` +
    "which is required by tally apply. tally apply should only be used on resources created " +
    "declaratively by either kubectl create --save-config or tally apply. The missing " +
    "annotation will be patched automatically.\n"
  );
}

function patchContext({ type, object, source }: Manifest, patch: Fields): string {
  const { name, namespace = "" } = object.metadata;
  const { group, version, resource, kind } = type;
  const place = apiVersionOf({ group, version, resource, kind, namespaced: true });
  return (
    `error when applying patch:\n${compactJson(patch)}\nto:\n` +
    `Resource: "${place}, Resource=${resource}", GroupVersionKind: "${place}, Kind=${kind}"\n` +
    `Name: "${name}", Namespace: "${namespace}"\nfor: "${source}": ` +
    `error when patching "${source}": `
  );
}

function withContext(error: unknown, context: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const { details } = error.status;
  return new ApiError(error.code, error.reason, `${context}${error.message}`, details);
}
