/** Watch events as bytes. Objects as they are look the same to all; other views are their own. */
import type { Status } from "../../api/errors.ts";
import { encodeJson } from "../../api/json-bytes.ts";
import type { KubeObject } from "../../api/object.ts";
import { decodeObject } from "../../api/schema/decode.ts";
import { parsed } from "../../api/schema/parsed-json.ts";
import { encodeProtobuf, encodeWatchFrame } from "../../api/schema/protobuf.ts";
import { apiVersionOf, type Kind } from "../../kinds/kind.ts";
import type { WatchAnswer } from "./answer.ts";
import { toPartialMetadata, toTable } from "./table.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

export interface WatchEncoder {
  readonly contentType: string;
  /** Whether an event looks the same to every watch with this encoding. */
  readonly isShared: boolean;
  event(type: EventType, object: KubeObject): Uint8Array;
  bookmark(revision: number, endsInitial: boolean): Uint8Array;
  error(status: Status): Uint8Array;
}

export function watchEncoder(answer: WatchAnswer, now: () => Date): WatchEncoder {
  const { kind, representation } = answer;
  const show = transformer(answer, now);
  if (representation.media === "protobuf") return protobufEncoder(kind, show);
  return {
    contentType: "application/json",
    isShared: show === undefined,
    event: (type, object) => (show ? line(type, show(object)) : objectLine(type, object)),
    bookmark: (revision, endsInitial) => {
      const object = bookmarkObject(kind, revision, endsInitial);
      return line("BOOKMARK", show ? show(object) : object);
    },
    error: (status) => line("ERROR", status),
  };
}

type Show = (object: KubeObject) => object;

function protobufEncoder(kind: Kind, show: Show | undefined): WatchEncoder {
  // There are no tables in protobuf: the only other view is that of the metadata.
  const encode = (object: KubeObject): Uint8Array =>
    show
      ? encodeProtobuf(show(object) as KubeObject, "meta/v1.PartialObjectMetadata")
      : encodeProtobuf(object, kind.message);
  return {
    contentType: "application/vnd.kubernetes.protobuf;stream=watch",
    isShared: show === undefined,
    event: (type, object) => encodeWatchFrame(type, encode(object)),
    bookmark: (revision, endsInitial) =>
      encodeWatchFrame("BOOKMARK", encode(bookmarkObject(kind, revision, endsInitial))),
    error: (status) => encodeWatchFrame("ERROR", encodeProtobuf(status, "meta/v1.Status")),
  };
}

/** Undefined where clients see the object itself. */
function transformer(
  { kind, representation, includeObject }: WatchAnswer,
  now: () => Date,
): Show | undefined {
  const { as, version = "v1" } = representation;
  if (as === undefined) return undefined;
  if (as !== "Table") return (object) => toPartialMetadata(object, version);
  let isFirst = true;
  return (object) => {
    const withColumns = isFirst;
    isFirst = false;
    const metadata = { resourceVersion: object.metadata.resourceVersion };
    return toTable(kind, [object], metadata, { version, includeObject, now: now() }, withColumns);
  };
}

function line(type: string, object: object): Uint8Array {
  return Buffer.from(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);
}

const HEADS: Readonly<Record<EventType, Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
};
const TAIL = Buffer.from("}\n");

interface Line {
  readonly type: EventType;
  readonly object: KubeObject;
  readonly bytes: Buffer;
}

/** The last events told: watches with selectors of their own see mostly the same ones. */
const recent: Line[] = [];
const MOST_RECENT = 8;

function objectLine(type: EventType, object: KubeObject): Buffer {
  const known = recent.find((line) => line.object === object && line.type === type);
  if (known) return known.bytes;
  const bytes = Buffer.concat([HEADS[type], encodeJson(object), TAIL]);
  if (recent.length === MOST_RECENT) recent.shift();
  recent.push({ type, object, bytes });
  return bytes;
}

/** A bookmark is an empty object of the kind that carries nothing but a revision. */
function bookmarkObject(kind: Kind, revision: number, endsInitial: boolean): KubeObject {
  const annotations = { "k8s.io/initial-events-end": "true" };
  const metadata = {
    resourceVersion: String(revision),
    ...(endsInitial ? { annotations } : {}),
  };
  const typeMeta = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  if (kind.custom) return { ...typeMeta, metadata };
  return decodeObject(parsed({ metadata }), kind.message, typeMeta).object;
}
