/** Pure: what a server offers, and which of it a word on the command line means. */
import type { ResourceType } from "../../api/client.ts";
import { formatGroupResource } from "../../api/errors.ts";
import type { HttpRequest } from "../../client/http-requests.ts";

export interface Offered extends ResourceType {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
}

const ACCEPT = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

export const DISCOVERY: readonly HttpRequest[] = ["/api", "/apis"].map((path) => ({
  method: "GET",
  path,
  accept: ACCEPT,
}));

/** apidiscovery.k8s.io/v2 APIGroupDiscoveryList, as far as it is read. */
export interface WireDiscovery {
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly {
      readonly version: string;
      readonly resources?: readonly WireResource[];
    }[];
  }[];
}

interface WireResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind?: string };
  readonly scope: string;
  readonly singularResource?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly string[];
}

/** In the server's order: the first version of a group is the preferred one. */
export function offeredBy(documents: readonly WireDiscovery[]): readonly Offered[] {
  return documents.flatMap(({ items = [] }) =>
    items.flatMap(({ metadata, versions = [] }) =>
      versions.flatMap(({ version, resources = [] }) =>
        resources.map((resource) => offeredOf(resource, metadata?.name ?? "", version)),
      ),
    ),
  );
}

function offeredOf(wire: WireResource, group: string, version: string): Offered {
  return {
    group,
    version,
    resource: wire.resource,
    kind: wire.responseKind?.kind ?? "",
    namespaced: wire.scope === "Namespaced",
    singular: wire.singularResource ?? "",
    shortNames: wire.shortNames ?? [],
    categories: wire.categories ?? [],
    verbs: wire.verbs ?? [],
  };
}

/** "job", "jobs", "Job", "jobs.batch", "jobs.v1.batch", "po"; a plural wins over a short name. */
export function findOffered(offered: readonly Offered[], word: string): Offered | undefined {
  const [name = "", ...rest] = word.toLowerCase().split(".");
  const isMeant = meansGroup(rest);
  return NAMINGS.map((names) =>
    offered.find((each) => isMeant(each) && names(each).includes(name)),
  ).find((found) => found !== undefined);
}

const NAMINGS: readonly ((offered: Offered) => readonly string[])[] = [
  ({ resource }) => [resource],
  ({ singular, kind }) => [singular, kind.toLowerCase()],
  ({ shortNames }) => shortNames,
];

function meansGroup(parts: readonly string[]): (offered: Offered) => boolean {
  if (parts.length === 0) return () => true;
  const [version, ...group] = parts;
  return (each) =>
    each.group === parts.join(".") || (each.version === version && each.group === group.join("."));
}

/** What "all" stands for: one version of each, where there are several the preferred one. */
export function findCategory(offered: readonly Offered[], word: string): readonly Offered[] {
  const named = offered.filter(({ categories }) => categories.includes(word.toLowerCase()));
  return named.filter(
    (each, at) =>
      named.findIndex((other) => formatGroupResource(other) === formatGroupResource(each)) === at,
  );
}

export function findKind(
  offered: readonly Offered[],
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): Offered | undefined {
  return offered.find((each) => each.kind === kind && apiVersionOf(each) === apiVersion);
}

export function apiVersionOf({ group, version }: ResourceType): string {
  return group === "" ? version : `${group}/${version}`;
}

/** "job.batch/hello", as commands name what they did something with. */
export function formatKindName({ kind, group }: ResourceType, name: string): string {
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${name}`;
}
