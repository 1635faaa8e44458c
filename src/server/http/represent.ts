/**
 * Encodes objects in the representation that a client requested. The JSON of a stored object is
 * encoded once and shared by all answers, watches and the journal (api/json-bytes).
 */
import { ApiError, type Status } from "../../api/errors.ts";
import { encodeJson } from "../../api/json-bytes.ts";
import type { KubeObject } from "../../api/object.ts";
import { encodeProtobuf } from "../../api/schema/protobuf.ts";
import { formatYaml } from "../../api/schema/yaml-text.ts";
import { apiVersionOf, type Kind } from "../../kinds/kind.ts";
import type { Listed } from "../verbs/list.ts";
import { CONTENT_TYPES, type MediaType, type Representation } from "./negotiate.ts";
import { type TableOptions, toPartialMetadata, toTable } from "./table.ts";

export interface Represented {
  readonly contentType: string;
  readonly body: Uint8Array | string;
}

/** The requested representation, and the options for tables. */
export interface View extends Omit<TableOptions, "version"> {
  readonly representation: Representation;
}

/** The parts of a kind that are needed to show an object; a Scale has these too. */
export type Shown = Pick<Kind, "group" | "kind" | "message" | "columns" | "cells">;

/** A custom resource defines the name of its list kind. */
function listKindOf({ kind, custom }: Kind): string {
  return custom?.listKind ?? `${kind}List`;
}

export function representObject(kind: Shown, object: KubeObject, view: View): Represented {
  const { media, as, version = "v1" } = view.representation;
  switch (as) {
    case "Table": {
      const resourceVersion = object.metadata.resourceVersion;
      const metadata = resourceVersion === undefined ? {} : { resourceVersion };
      return encode(media, toTable(kind, [object], metadata, { ...view, version }));
    }
    case "PartialObjectMetadata":
      return encode(media, toPartialMetadata(object, version), PARTIAL);
    case "PartialObjectMetadataList":
      throw notAList(kind);
    default:
      return encodeWhole(media, object, kind.message);
  }
}

function encodeWhole(media: MediaType, object: KubeObject, message: string): Represented {
  const contentType = CONTENT_TYPES[media];
  if (media === "json") return { contentType, body: encodeJson(object) };
  if (media === "protobuf") return { contentType, body: encodeProtobuf(object, message) };
  return { contentType, body: formatYaml(object) };
}

const PARTIAL = "meta/v1.PartialObjectMetadata";

function toPartialList({ items, metadata }: Listed, version: string): object {
  return {
    kind: "PartialObjectMetadataList",
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    // null, as Go prints a nil slice.
    items: items.length === 0 ? null : items.map((item) => toPartialMetadata(item, version)),
  };
}

/** `message` is given for values that have a protobuf encoding; tables do not. */
function encode(media: MediaType, value: object, message?: string): Represented {
  if (message !== undefined) return encodeWhole(media, value as KubeObject, message);
  const contentType = CONTENT_TYPES[media];
  return { contentType, body: media === "yaml" ? formatYaml(value) : JSON.stringify(value) };
}

function notAList(kind: Shown): ApiError {
  const problem = `the requested object is not a list (${goType(kind)})`;
  const message = `you requested PartialObjectMetadataList, but ${problem}`;
  return new ApiError(406, "NotAcceptable", message);
}

function isAList(kind: Kind): ApiError {
  const problem = `the requested object is a list (${goType(kind)}List)`;
  const message = `you requested PartialObjectMetadata, but ${problem}`;
  return new ApiError(406, "NotAcceptable", message);
}

/** The internal Go type that Kubernetes names in these two errors: "*batch.Job". */
function goType(kind: Shown): string {
  return `*${kind.group === "" ? "core" : kind.group.split(".")[0]}.${kind.kind}`;
}

export function representList(kind: Kind, listed: Listed, view: View): Represented {
  const { media, as, version = "v1" } = view.representation;
  const { items, metadata } = listed;
  switch (as) {
    case "Table":
      return encode(media, toTable(kind, items, metadata, { ...view, version }));
    case "PartialObjectMetadataList":
      return encode(media, toPartialList(listed, version), `${PARTIAL}List`);
    case "PartialObjectMetadata":
      throw isAList(kind);
    default:
      return encodeList(media, kind, listed);
  }
}

function encodeList(media: MediaType, kind: Kind, { items, metadata }: Listed): Represented {
  const contentType = CONTENT_TYPES[media];
  if (kind.custom) return encodeCustomList(media, kind, { items, metadata });
  const typeMeta = { kind: `${kind.kind}List`, apiVersion: apiVersionOf(kind) };
  if (media === "json") {
    return { contentType, body: joinItems(kind, items, JSON.stringify({ ...typeMeta, metadata })) };
  }
  if (media === "protobuf") {
    const list = { ...typeMeta, metadata, items };
    return { contentType, body: encodeProtobuf(list, `${kind.message}List`) };
  }
  return { contentType, body: formatYaml({ ...typeMeta, metadata, items: items.map(bare) }) };
}

/**
 * Items of custom resources have kind and apiVersion, as in Kubernetes, which has no Go type for
 * them.
 */
function encodeCustomList(media: MediaType, kind: Kind, { items, metadata }: Listed): Represented {
  const contentType = CONTENT_TYPES[media];
  const head = { apiVersion: apiVersionOf(kind), kind: listKindOf(kind) };
  if (media === "yaml") return { contentType, body: formatYaml({ ...head, items, metadata }) };
  const parts: Buffer[] = [Buffer.from(`${JSON.stringify(head).slice(0, -1)},"items":[`)];
  for (const [index, item] of items.entries()) {
    if (index > 0) parts.push(COMMA);
    parts.push(encodeJson(item));
  }
  parts.push(Buffer.from(`],"metadata":${JSON.stringify(metadata)}}`));
  return { contentType, body: Buffer.concat(parts) };
}

function bare(object: KubeObject): object {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}

const COMMA = Buffer.from(",");
const OPEN = Buffer.from("{");
const END = Buffer.from("]}");

/** List items have no kind and apiVersion: copies the bytes of each item after these fields. */
function joinItems(kind: Kind, items: readonly KubeObject[], head: string): Uint8Array {
  const prefix = Buffer.from(`{"kind":"${kind.kind}","apiVersion":"${apiVersionOf(kind)}",`);
  const parts: Buffer[] = [Buffer.from(`${head.slice(0, -1)},"items":[`)];
  for (const [index, item] of items.entries()) {
    if (index > 0) parts.push(COMMA);
    const bytes = encodeJson(item);
    if (bytes.subarray(0, prefix.length).equals(prefix)) {
      parts.push(OPEN, bytes.subarray(prefix.length));
    } else parts.push(Buffer.from(JSON.stringify(bare(item))));
  }
  parts.push(END);
  return Buffer.concat(parts);
}

export function representStatus(media: MediaType, status: Status): Represented {
  return representPlain(media, status, "meta/v1.Status");
}

/** For values that are composed for a single answer, so that caching their bytes is useless. */
export function representPlain(
  media: MediaType,
  value: { readonly kind: string; readonly apiVersion: string },
  message: string,
): Represented {
  if (media !== "protobuf") return encode(media, value);
  return { contentType: CONTENT_TYPES.protobuf, body: encodeProtobuf(value, message) };
}
