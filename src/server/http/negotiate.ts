/** Pure: chooses the representation for a client's Accept header. */
import { ApiError } from "../../api/errors.ts";

export type MediaType = "json" | "yaml" | "protobuf";

export interface Representation {
  readonly media: MediaType;
  /** Table or PartialObjectMetadata(List) instead of the object itself. */
  readonly as?: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  /** The version of the transformation: v1 or v1beta1. */
  readonly version?: string;
}

const JSON_TYPE = "application/json";
const YAML_TYPE = "application/yaml";
const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

export const CONTENT_TYPES: Readonly<Record<MediaType, string>> = {
  json: JSON_TYPE,
  yaml: YAML_TYPE,
  protobuf: PROTOBUF_TYPE,
};

const OFFERED: readonly MediaType[] = ["json", "yaml", "protobuf"];
const TEXT_ONLY: readonly MediaType[] = ["json", "yaml"];
export const OBJECTS = OFFERED.map((media) => CONTENT_TYPES[media]);
const STREAMS = [`${JSON_TYPE};stream=watch`, `${PROTOBUF_TYPE};stream=watch`];

export interface Endpoint {
  /** What is read: one object, a list, or a stream of changes to that list. */
  readonly shape: "object" | "list" | "watch";
  /** Whether it is available as a table. Objects that are never stored are not. */
  readonly tables: boolean;
  /** By default all: some kinds have no protobuf encoding. */
  readonly media?: readonly MediaType[];
}

/** The media types in which objects of a kind are available. */
export function mediaOf({ isJsonOnly }: { readonly isJsonOnly?: boolean }): readonly MediaType[] {
  return isJsonOnly ? TEXT_ONLY : OFFERED;
}

/** For answers that are API objects. Clauses are tried in the client's order of preference. */
export function negotiate(
  accept: string | undefined,
  { shape, tables, media = OFFERED }: Endpoint = { shape: "object", tables: true },
): Representation {
  if (accept === undefined || accept === JSON_TYPE || accept === "") return { media: "json" };
  const objects = media.map((each) => CONTENT_TYPES[each]);
  if (!isRoutable(accept, objects)) {
    throw unavailable(shape === "object" ? objects : [...objects, ...STREAMS]);
  }
  for (const clause of parseAccept(accept)) {
    const found = findRepresentation(clause, media, tables);
    if (!found) continue;
    if (shape === "watch" && found.media === "yaml") throw onlyThese(STREAMS);
    return found;
  }
  throw onlyThese(objects);
}

/** For documents without transformations: discovery and errors. Undefined if nothing matches. */
export function negotiatePlain(accept: string | undefined): MediaType | undefined {
  if (accept === undefined || accept === "") return "json";
  for (const clause of parseAccept(accept)) {
    const media = plainMedia(clause);
    if (media) return media;
  }
  return undefined;
}

/** The media type of a clause, unless it requests a transformation. */
export function plainMedia(clause: Accepted): MediaType | undefined {
  const { as, g, v } = clause.parameters;
  if (as !== undefined || g !== undefined || v !== undefined) return undefined;
  return OFFERED.find((media) => isRangeOf(clause, media) && isSchemaOf(clause, media));
}

export function anyMedia(clause: Accepted): MediaType | undefined {
  return OFFERED.find((each) => isRangeOf(clause, each));
}

/** The media type of an error: the requested one if possible, otherwise JSON. */
export function negotiateError(accept: string | undefined): MediaType {
  return negotiatePlain(accept) ?? "json";
}

/** The router compares media types by name before a handler evaluates their parameters. */
export function isRoutable(accept: string, types: readonly string[]): boolean {
  return accept
    .split(",")
    .map((clause) => (clause.split(";", 1)[0] ?? "").trim())
    .some((type) => type === "*/*" || types.includes(type));
}

function findRepresentation(
  clause: Accepted,
  offered: readonly MediaType[],
  tables: boolean,
): Representation | undefined {
  for (const media of offered) {
    if (!isRangeOf(clause, media)) continue;
    if (!isSchemaOf(clause, media)) continue;
    const found = transform(clause, media, tables);
    if (found) return found;
  }
  return undefined;
}

/** Only the stream "watch" and the schema version v1 exist. */
function isSchemaOf({ parameters: { stream, sv } }: Accepted, media: MediaType): boolean {
  if (stream !== undefined && (stream !== "watch" || media === "yaml")) return false;
  return sv === undefined || sv === "v1";
}

function isRangeOf({ type, subtype }: Accepted, media: MediaType): boolean {
  if (type === "*") return subtype === "*";
  return subtype === "*" ? type === "application" : CONTENT_TYPES[media] === `${type}/${subtype}`;
}

function transform(
  { parameters: { as, g: group, v: version } }: Accepted,
  media: MediaType,
  tables: boolean,
): Representation | undefined {
  if (as === undefined && group === undefined && version === undefined) return { media };
  if (group !== "meta.k8s.io" || (version !== "v1" && version !== "v1beta1")) return undefined;
  switch (as) {
    case "Table":
      return tables && media !== "protobuf" ? { media, as, version } : undefined;
    case "PartialObjectMetadata":
    case "PartialObjectMetadataList":
      return { media, as, version };
    default:
      return undefined;
  }
}

export interface Accepted {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
}

/** The clauses of an Accept header, most preferred first; invalid media ranges are skipped. */
export function parseAccept(header: string): Accepted[] {
  const clauses: Accepted[] = [];
  for (const text of header.split(",")) {
    const [range = "", ...rest] = text.split(";");
    const [type = "", subtype = type.trim() === "*" ? "*" : "", ...more] = range
      .split("/")
      .map((part) => part.trim());
    if (subtype === "" || more.length > 0) continue;
    const parameters = parseParameters(rest);
    const { q, ...others } = parameters;
    const quality = q === undefined ? 1 : Number.parseFloat(q) || 0;
    insert(clauses, { type, subtype, parameters: others, quality });
  }
  return clauses;
}

function parseParameters(texts: readonly string[]): { [name: string]: string } {
  const parameters: { [name: string]: string } = {};
  for (const text of texts) {
    const [name = "", value = "", ...more] = text.split("=");
    if (value !== "" && more.length === 0) parameters[name.trim()] = value.trim();
  }
  return parameters;
}

/** Sorts like Go's library: by quality, then specific ranges before wildcards. */
function insert(clauses: Accepted[], clause: Accepted): void {
  let place = clauses.length;
  while (place > 0) {
    const before = clauses[place - 1];
    if (!before || !goesBefore(clause, before)) break;
    place--;
  }
  clauses.splice(place, 0, clause);
}

function goesBefore(one: Accepted, other: Accepted): boolean {
  if (one.quality > other.quality) return true;
  if (one.type !== "*" && other.type === "*") return true;
  return one.subtype !== "*" && other.subtype === "*";
}

/** No clause requests a representation that the handler supports. */
export function onlyThese(types: readonly string[]): ApiError {
  const message = `only the following media types are accepted: ${types.join(", ")}`;
  return new ApiError(406, "NotAcceptable", message);
}

/** No clause names a media type that the router supports for the path. */
export function unavailable(types: readonly string[]): ApiError {
  const list = types.join(", ");
  const message = `406: Not Acceptable\n\nAvailable representations: ${list}`;
  return new ApiError(406, "NotAcceptable", message, {});
}

/** Without a Content-Type a body is JSON. A malformed header is rejected like an unknown type. */
export function requestMedia(
  contentType: string | undefined,
  offered: readonly MediaType[] = OFFERED,
): MediaType {
  if (contentType === undefined || contentType === "") return "json";
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim());
  const media = offered.find((each) => CONTENT_TYPES[each] === type.toLowerCase());
  if (media && parameters.every((part) => part === "" || part.includes("="))) return media;
  const problem = "the body of the request was in an unknown format";
  const types = offered.map((each) => CONTENT_TYPES[each]).join(", ");
  const message = `${problem} - accepted media types include: ${types}`;
  throw new ApiError(415, "UnsupportedMediaType", message);
}
