/**
 * Pure: plans which slices to create, update and delete for the wanted endpoints. It uses as few
 * writes as possible, because every write is sent to all watchers of slices.
 */
import { isEqual } from "../../api/equal.ts";
import type { Endpoint, EndpointPort, EndpointSlice } from "../../api/generated/discovery.ts";
import { groupBy } from "../../base/group-by.ts";
import { type PortGroup, portsKey } from "./slice-endpoints.ts";

const MAX_ENDPOINTS = 100;

export interface SliceContent {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

export interface SlicePlan {
  readonly create: readonly SliceContent[];
  readonly update: readonly { readonly slice: EndpointSlice; readonly content: SliceContent }[];
  readonly remove: readonly EndpointSlice[];
}

type Labels = { readonly [label: string]: string };

/** Plans the slices of one family. There is always at least one slice, even if it is empty. */
export function planSlices(
  existing: readonly EndpointSlice[],
  groups: ReadonlyMap<string, PortGroup>,
  labels: Labels,
): SlicePlan {
  const byPorts = groupBy(existing, ({ ports }) => portsKey(ports ?? []));
  const create: SliceContent[] = [];
  const update: { slice: EndpointSlice; content: SliceContent }[] = [];
  const remove: EndpointSlice[] = [];
  for (const [key, slices] of byPorts) if (!groups.has(key)) remove.push(...slices);
  for (const [key, group] of groups) {
    const plan = planGroup(byPorts.get(key) ?? [], group, labels);
    create.push(...plan.create);
    update.push(...plan.update);
    remove.push(...plan.remove);
  }
  if (existing.length === remove.length && create.length === 0) {
    const spare = remove.find((slice) => isEmptySlice(slice) && hasLabels(slice, labels));
    if (spare) return { create, update, remove: remove.filter((slice) => slice !== spare) };
    create.push({ ports: [], endpoints: [] });
  }
  return reuse({ create, update, remove });
}

function planGroup(
  existing: readonly EndpointSlice[],
  { ports, endpoints }: PortGroup,
  labels: Labels,
): SlicePlan {
  const wanted = new Map(endpoints.map((endpoint) => [endpointKey(endpoint), endpoint]));
  const changed: { slice: EndpointSlice; endpoints: Endpoint[] }[] = [];
  const unchanged: EndpointSlice[] = [];
  for (const slice of existing) {
    const kept = keep(slice, wanted);
    if (kept.isSame && hasLabels(slice, labels)) unchanged.push(slice);
    else changed.push({ slice, endpoints: kept.endpoints });
  }
  const rest = [...wanted.values()];
  for (const { endpoints: room } of changed) {
    room.push(...rest.splice(0, MAX_ENDPOINTS - room.length));
  }
  const host = rest.length > 0 ? findRoom(unchanged, rest.length) : undefined;
  if (host)
    changed.push({ slice: host, endpoints: [...(host.endpoints ?? []), ...rest.splice(0)] });
  const create: SliceContent[] = [];
  while (rest.length > 0) create.push({ ports, endpoints: rest.splice(0, MAX_ENDPOINTS) });
  return {
    create,
    update: changed
      .filter((each) => each.endpoints.length > 0)
      .map((each) => ({ slice: each.slice, content: { ports, endpoints: each.endpoints } })),
    remove: changed.filter((each) => each.endpoints.length === 0).map(({ slice }) => slice),
  };
}

/** Returns the endpoints that stay in a slice, and removes them from `wanted`. */
function keep(
  slice: EndpointSlice,
  wanted: Map<string, Endpoint>,
): { readonly endpoints: Endpoint[]; readonly isSame: boolean } {
  const endpoints: Endpoint[] = [];
  let isSame = true;
  for (const endpoint of slice.endpoints ?? []) {
    const key = endpointKey(endpoint);
    const next = wanted.get(key);
    if (!next || !isEqual(endpoint, next)) isSame = false;
    if (!next) continue;
    wanted.delete(key);
    endpoints.push(next);
  }
  return { endpoints, isSame };
}

/** Of the slices with enough room for all, the one that is then fullest. */
function findRoom(slices: readonly EndpointSlice[], count: number): EndpointSlice | undefined {
  const sizeOf = ({ endpoints }: EndpointSlice) => endpoints?.length ?? 0;
  const roomy = slices.filter((slice) => sizeOf(slice) + count <= MAX_ENDPOINTS);
  return roomy.toSorted((one, other) => sizeOf(other) - sizeOf(one))[0];
}

/** A slice to be deleted takes the content of one to be created: one write instead of two. */
function reuse({ create, update, remove }: SlicePlan): SlicePlan {
  const paired = Math.min(create.length, remove.length);
  const reused = remove.slice(0, paired).flatMap((slice, at) => {
    const content = create[at];
    return content ? [{ slice, content }] : [];
  });
  return {
    create: create.slice(paired),
    update: [...update, ...reused],
    remove: remove.slice(paired),
  };
}

function isEmptySlice({ endpoints, ports }: EndpointSlice): boolean {
  return (endpoints ?? []).length === 0 && (ports ?? []).length === 0;
}

function hasLabels({ metadata }: EndpointSlice, labels: Labels): boolean {
  return isEqual(metadata.labels ?? {}, labels);
}

function endpointKey({ addresses, hostname, targetRef }: Endpoint): string {
  const { namespace = "", name = "" } = targetRef ?? {};
  return [namespace, name, hostname ?? "", ...(addresses ?? [])].join(" ");
}
