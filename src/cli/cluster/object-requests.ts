/** Asks for objects of any kind, one or all of them, as they are or as rows of a table. */
import type { KubeObject } from "../../api/object.ts";
import { collectionPath, type HttpRequest, objectPath, query } from "../../client/http-requests.ts";
import type { WireTable } from "../output/table.ts";
import type { Cluster } from "./cluster.ts";
import { apiVersionOf } from "./discovery.ts";
import type { Target } from "./targets.ts";

export interface Selectors {
  readonly selector?: string;
  readonly fieldSelector?: string;
}

export const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

const PAGE = 500;

export interface Found {
  readonly objects: readonly KubeObject[];
  readonly resourceVersion: string;
}

/** Items of a list do not say what they are: here they do. */
export async function findObjects(
  cluster: Cluster,
  target: Target,
  selectors: Selectors = {},
): Promise<Found> {
  if (target.name !== undefined) {
    const object = await cluster.ask<KubeObject>(readRequest(target, selectors));
    return { objects: [object], resourceVersion: object.metadata.resourceVersion ?? "" };
  }
  const { type } = target;
  const about = { apiVersion: apiVersionOf(type), kind: type.kind };
  const pages = await allPages<WireList>(cluster, (next) => readRequest(target, selectors, next));
  return {
    objects: pages.flatMap(({ items }) => (items ?? []).map((item) => ({ ...item, ...about }))),
    resourceVersion: pages.at(-1)?.metadata?.resourceVersion ?? "",
  };
}

export async function findTables(
  cluster: Cluster,
  target: Target,
  options: Selectors & { readonly includesObjects?: boolean } = {},
): Promise<readonly WireTable[]> {
  const { includesObjects, ...selectors } = options;
  const include = includesObjects ? { includeObject: "Object" } : {};
  return allPages<WireTable>(cluster, (next) => ({
    ...readRequest(target, selectors, { ...include, ...next }),
    accept: TABLE,
  }));
}

interface Page {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

interface WireList extends Page {
  readonly items?: readonly KubeObject[] | null;
}

async function allPages<T extends Page>(
  cluster: Cluster,
  requestOf: (parameters: { readonly continue?: string }) => HttpRequest,
): Promise<readonly T[]> {
  const pages = [await cluster.ask<T>(requestOf({}))];
  for (;;) {
    const next = pages.at(-1)?.metadata?.continue;
    if (!next) return pages;
    pages.push(await cluster.ask<T>(requestOf({ continue: next })));
  }
}

interface Parameters {
  readonly [name: string]: string | undefined;
}

function readRequest(
  target: Target,
  { selector, fieldSelector }: Selectors,
  parameters: Parameters = {},
): HttpRequest {
  const { type, name, namespace } = target;
  if (name !== undefined) {
    const place = { name, ...(namespace === undefined ? {} : { namespace }) };
    return { method: "GET", path: `${objectPath(type, place)}${query(parameters)}` };
  }
  const all = { labelSelector: selector, fieldSelector, limit: PAGE, ...parameters };
  return { method: "GET", path: `${collectionPath(type, namespace)}${query(all)}` };
}

/** Of one object the watch is of the collection, where nothing else has that name. */
export function watchRequest(
  { type, name, namespace }: Target,
  { selector, fieldSelector }: Selectors,
  parameters: Parameters,
): HttpRequest {
  const fields = name === undefined ? fieldSelector : `metadata.name=${name}`;
  const all = { watch: "true", labelSelector: selector, fieldSelector: fields, ...parameters };
  return { method: "GET", path: `${collectionPath(type, namespace)}${query(all)}` };
}
