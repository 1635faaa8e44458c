/** Pure: EndpointSlices: some of the endpoints of a Service. */
import { isEqual } from "../../api/equal.ts";
import type { EndpointSlice } from "../../api/generated/discovery.ts";
import type { Draft } from "../../api/object.ts";
import { defineKind } from "../kind.ts";
import { validateImmutable, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { age } from "../print/age.ts";
import { columns } from "./columns.ts";
import { validateEndpointSlice } from "./validate.ts";

const SHOWN_MAX = 3;

export const endpointSliceKind = defineKind<EndpointSlice>({
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  resource: "endpointslices",
  singular: "endpointslice",
  namespaced: true,
  message: "discovery/v1.EndpointSlice",
  hasGeneration: true,
  rules: {
    setDefaults,
    validate: validateEndpointSlice,
    prepareForUpdate: countLabels,
    validateUpdate: (next, old) => [
      ...validateObjectMetaUpdate(next.metadata, old.metadata),
      ...validateEndpointSlice(next),
      ...validateImmutable(next.addressType, old.addressType, "addressType"),
    ],
  },
  columns,
  cells: ({ metadata, addressType, ports, endpoints }, now) => [
    metadata.name ?? "",
    addressType,
    formatSome(
      (ports ?? []).map(({ port, name }) => (port === undefined ? name || "*" : `${port}`)),
    ),
    formatSome((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
    age(metadata.creationTimestamp, now),
  ],
});

function setDefaults(slice: Draft<EndpointSlice>): void {
  for (const port of slice.ports ?? []) {
    port.name ??= "";
    port.protocol ??= "TCP";
  }
}

/** Labels tell which Service a slice belongs to, so their change is a new generation, too. */
function countLabels(next: Draft<EndpointSlice>, old: EndpointSlice): void {
  if (isEqual(next.metadata.labels, old.metadata.labels)) return;
  next.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

function formatSome(items: readonly string[]): string {
  if (items.length === 0) return "<unset>";
  const shown = items.slice(0, SHOWN_MAX).join(",");
  const more = items.length - SHOWN_MAX;
  return more > 0 ? `${shown} + ${more} more...` : shown;
}
