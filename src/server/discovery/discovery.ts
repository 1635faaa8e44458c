/**
 * The discovery documents, from which clients learn what a server offers, built from its kinds.
 *
 * Reading order: offered (kinds in order), this file (each document). Nothing here knows about
 * requests or encodings.
 */

import { createHash } from "node:crypto";
import { formatGroupResource } from "../../api/errors.ts";
import type { APIResource } from "../../api/generated/meta.ts";
import { KUBERNETES_VERSION } from "../../api/kubernetes-version.ts";
import { apiVersionOf, type Subresource, verbsOf } from "../../kinds/kind.ts";
import { compareText, type OfferedGroup, type OfferedKind, offeredGroups } from "./offered.ts";

/** /api: the versions of the core group, and the address of the server. */
export function apiVersions(serverAddress: string): object {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** /apis: the named groups. */
export function apiGroupList(kinds: readonly OfferedKind[]): object {
  const groups = offeredGroups(kinds).filter(({ name }) => name !== "");
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(describeGroup) };
}

/** /apis/GROUP; undefined for a group that is not offered. */
export function apiGroup(kinds: readonly OfferedKind[], group: string): object | undefined {
  const found = offeredGroups(kinds).find(({ name }) => name === group);
  return found && { kind: "APIGroup", apiVersion: "v1", ...describeGroup(found) };
}

function describeGroup({ name, versions }: OfferedGroup): object {
  const described = versions.map(({ version }) => ({
    groupVersion: apiVersionOf({ group: name, version }),
    version,
  }));
  return { name, versions: described, preferredVersion: described[0] };
}

/** /api/v1 and /apis/GROUP/VERSION; undefined for a version that is not offered. */
export function apiResourceList(
  kinds: readonly OfferedKind[],
  group: string,
  version: string,
): object | undefined {
  const offered = offeredGroups(kinds)
    .find(({ name }) => name === group)
    ?.versions.find((each) => each.version === version);
  if (offered === undefined) return undefined;
  const resources = offered.kinds.flatMap((kind) => [
    ...(isParentOnly(kind) ? [] : [describeResource(kind, kinds)]),
    ...(kind.subresources ?? []).map((subresource) => describeSubresource(kind, subresource)),
  ]);
  return {
    kind: "APIResourceList",
    // The list of the core group has no apiVersion, because it is older than the field.
    ...(group === "" ? {} : { apiVersion: "v1" }),
    groupVersion: apiVersionOf({ group, version }),
    resources: resources.sort((one, other) => compareText(one.name, other.name)),
  };
}

/** Whether only the subresources of this resource are served. */
function isParentOnly(kind: OfferedKind): boolean {
  return verbsOf(kind).length === 0;
}

function describeResource(kind: OfferedKind, kinds: readonly OfferedKind[]): APIResource {
  const { resource, singular, namespaced, shortNames, categories } = kind;
  return {
    name: resource,
    singularName: singular,
    namespaced,
    kind: kind.kind,
    verbs: verbsOf(kind),
    ...(shortNames ? { shortNames } : {}),
    ...(categories ? { categories } : {}),
    ...(verbsOf(kind).includes("watch") ? { storageVersionHash: storageHash(kind, kinds) } : {}),
  };
}

function describeSubresource(parent: OfferedKind, subresource: Subresource): APIResource {
  const { name, group, version, kind = parent.kind } = subresource;
  return {
    name: `${parent.resource}/${name}`,
    singularName: "",
    namespaced: parent.namespaced,
    ...(group === undefined ? {} : { group }),
    ...(version === undefined ? {} : { version }),
    kind,
    verbs: [...subresource.verbs].sort(),
  };
}

/** Changes when objects are stored in another version. Clients only compare it. */
function storageHash(kind: OfferedKind, kinds: readonly OfferedKind[]): string {
  const stored = kinds.find((each) => !each.storedAs && isStoredAs(kind, each)) ?? kind;
  const version = kind.custom?.storageVersion ?? stored.version;
  const text = `${stored.group}/${version}/${stored.kind}`;
  return createHash("sha256").update(text).digest().subarray(0, 8).toString("base64");
}

function isStoredAs(kind: OfferedKind, other: OfferedKind): boolean {
  return kind.storedAs !== undefined && kind.storedAs.resource === formatGroupResource(other);
}

/** All resources in one document: of the core group for /api, of the named groups for /apis. */
export function aggregatedDiscovery(
  kinds: readonly OfferedKind[],
  which: "core" | "groups",
): object {
  const groups = offeredGroups(kinds).filter(({ name }) => (name === "") === (which === "core"));
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: "apidiscovery.k8s.io/v2",
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map((each) => ({
        version: each.version,
        resources: each.kinds.map(aggregateResource),
        freshness: "Current",
      })),
    })),
  };
}

function aggregateResource(kind: OfferedKind): object {
  const { resource, singular, namespaced, shortNames, categories, subresources = [] } = kind;
  const sorted = [...subresources].sort((one, other) => compareText(one.name, other.name));
  return {
    resource,
    responseKind: { ...spaceOf(kind), kind: isParentOnly(kind) ? "" : kind.kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs: verbsOf(kind),
    ...(shortNames ? { shortNames } : {}),
    ...(categories ? { categories } : {}),
    ...(sorted.length > 0
      ? { subresources: sorted.map((each) => aggregateSubresource(kind, each)) }
      : {}),
  };
}

/** Kubernetes includes the group and version for custom resources, but not for built-in kinds. */
function spaceOf({ custom, group, version }: OfferedKind) {
  return custom ? { group, version } : { group: "", version: "" };
}

function aggregateSubresource(parent: OfferedKind, subresource: Subresource): object {
  const space = spaceOf(parent);
  const { name, group = space.group, version = space.version, kind = parent.kind } = subresource;
  return {
    subresource: name,
    responseKind: { group, version, kind },
    verbs: [...subresource.verbs].sort(),
  };
}

const RELEASE = { major: "1", minor: "36" };

/** /version: the emulated Kubernetes release, and the actual platform. */
export function versionInfo(): object {
  return {
    ...RELEASE,
    emulationMajor: RELEASE.major,
    emulationMinor: RELEASE.minor,
    minCompatibilityMajor: "1",
    minCompatibilityMinor: "35",
    gitVersion: KUBERNETES_VERSION,
    gitCommit: "tally",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: `node ${process.version}`,
    compiler: "node",
    platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
  };
}
