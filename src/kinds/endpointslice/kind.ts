/** Pure: EndpointSlices: a part of the endpoints of a Service. */
import { isEqual } from "../../api/equal.ts";
import type { EndpointSlice } from "../../api/generated/discovery.ts";
import type { Draft } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { defineKind } from "../kind.ts";
import { ipWarnings } from "../meta/addresses.ts";
import { validateImmutable, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { columns } from "./columns.ts";
import { validateEndpointSlice, validateSliceContent } from "./validate.ts";

const SHOWN_MAX = 3;
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const CONTROLLERS = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];

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
    prepareForCreate: dropTopology,
    warningsOnCreate: sliceWarnings,
    prepareForUpdate: (next, old) => {
      dropTopology(next);
      countLabels(next, old);
    },
    warningsOnUpdate: addressWarnings,
    validateUpdate: (next, old) => [
      ...validateObjectMetaUpdate(next.metadata, old.metadata),
      ...validateSliceContent(next, old),
      ...validateImmutable(next.addressType, old.addressType, "addressType"),
    ],
  },
  columns,
  cells: ({ metadata, addressType, ports, endpoints }, now) => [
    metadata.name ?? "",
    addressType,
    formatSome(
      (ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? "*") : `${port}`)),
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

/** Labels identify the Service of a slice, so a change of them is a new generation, too. */
function countLabels(next: Draft<EndpointSlice>, old: EndpointSlice): void {
  if (isEqual(next.metadata.labels, old.metadata.labels)) return;
  next.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

/** A field of an older API version, which this version does not write. */
function dropTopology({ endpoints }: Draft<EndpointSlice>): void {
  for (const endpoint of endpoints ?? []) delete endpoint.deprecatedTopology;
}

function sliceWarnings(slice: EndpointSlice): string[] {
  const ofType =
    slice.addressType === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : [];
  return [...ofType, ...addressWarnings(slice)];
}

/** Slices of controllers are not checked, because controllers write canonical addresses. */
function addressWarnings({ metadata, endpoints }: EndpointSlice): string[] {
  if (CONTROLLERS.includes(metadata.labels?.[MANAGED_BY] ?? "")) return [];
  return (endpoints ?? []).flatMap(({ addresses }, at) =>
    (addresses ?? []).flatMap((ip, index) =>
      ipWarnings(ip, `endpoints[${at}].addresses[${index}]`),
    ),
  );
}

function formatSome(items: readonly string[]): string {
  const shown = items.slice(0, SHOWN_MAX).join(",");
  const more = items.length - SHOWN_MAX;
  return more > 0 ? `${shown} + ${more} more...` : shown || "<unset>";
}
