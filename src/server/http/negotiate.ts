/** Pure: what representation a client asked for, out of those there are. */
import { ApiError } from "../../api/errors.ts";

export type MediaType = "json" | "yaml" | "protobuf";

export interface Representation {
  readonly media: MediaType;
  /** Table or PartialObjectMetadata(List) instead of the object itself. */
  readonly as?: "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList";
  /** v1 or v1beta1 of the transformation. */
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

interface Accepted {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly quality: number;
}

/** For answers that are objects of the API. Every clause is tried in the client's order. */
export function negotiate(accept: string | undefined, streams: boolean): Representation {
  if (accept === undefined || accept === JSON_TYPE || accept.trim() === "") {
    return { media: "json" };
  }
  for (const clause of parseAccept(accept)) {
    const representation = match(clause, streams);
    if (representation) return representation;
  }
  throw notAcceptable(accept, streams);
}

function match(clause: Accepted, streams: boolean): Representation | undefined {
  const media = mediaOf(clause.type);
  if (!media || (streams && media === "yaml")) return undefined;
  const { as, g: group, v: version = "v1" } = clause.parameters;
  if (as === undefined) return group === undefined ? { media } : undefined;
  if (group !== "meta.k8s.io" || media === "protobuf") return undefined;
  if (version !== "v1" && version !== "v1beta1") return undefined;
  switch (as) {
    case "Table":
    case "PartialObjectMetadata":
    case "PartialObjectMetadataList":
      return { media, as, version };
    default:
      return undefined;
  }
}

/** Which of the three a media range means; a bare star is JSON, "application/*" is nobody's. */
export function mediaOf(type: string): MediaType | undefined {
  switch (type) {
    case JSON_TYPE:
    case "*/*":
      return "json";
    case YAML_TYPE:
      return "yaml";
    case PROTOBUF_TYPE:
      return "protobuf";
    default:
      return undefined;
  }
}

/** The clauses of an Accept header, most wanted first. */
export function parseAccept(header: string): Accepted[] {
  const clauses = header.split(",").map((clause) => {
    const [type = "", ...rest] = clause.split(";").map((part) => part.trim());
    const parameters: Record<string, string> = {};
    for (const parameter of rest) {
      const equals = parameter.indexOf("=");
      if (equals > 0) parameters[parameter.slice(0, equals)] = parameter.slice(equals + 1);
    }
    const quality = parameters["q"] === undefined ? 1 : Number(parameters["q"]);
    return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 1 : quality };
  });
  return clauses.sort((one, other) => other.quality - one.quality);
}

const STREAMS = [`${JSON_TYPE};stream=watch`, `${PROTOBUF_TYPE};stream=watch`];
const OBJECTS = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE];

/** A range no part of the server serves is refused by the router, the rest by the handler. */
function notAcceptable(accept: string, streams: boolean): ApiError {
  const known = parseAccept(accept).some((clause) => mediaOf(clause.type));
  if (!known) return unavailable([...OBJECTS, ...STREAMS]);
  const list = (streams ? STREAMS : OBJECTS).join(", ");
  const message = `only the following media types are accepted: ${list}`;
  return new ApiError(406, "NotAcceptable", message);
}

export function unavailable(types: readonly string[]): ApiError {
  const list = types.join(", ");
  const message = `406: Not Acceptable\n\nAvailable representations: ${list}`;
  return new ApiError(406, "NotAcceptable", message, {});
}

/** The format of an error: what the client asked for where that is possible, else JSON. */
export function negotiateError(accept: string | undefined): MediaType {
  if (accept === undefined) return "json";
  for (const { type } of parseAccept(accept)) {
    const media = mediaOf(type);
    if (media) return media;
  }
  return "json";
}

export function requestMedia(contentType: string | undefined): MediaType {
  const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "") return "json";
  const media = type === "*/*" ? undefined : mediaOf(type);
  if (media) return media;
  const list = OBJECTS.join(", ");
  const problem = "the body of the request was in an unknown format";
  const message = `${problem} - accepted media types include: ${list}`;
  throw new ApiError(415, "UnsupportedMediaType", message);
}
