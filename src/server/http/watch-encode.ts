/**
 * Watch events as bytes. A line of JSON is made once per event and shared by every watcher of the
 * object as it is; tables and other views are made per watcher.
 */
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
  event(type: EventType, object: KubeObject): Uint8Array;
  bookmark(revision: number, endsInitial: boolean): Uint8Array;
  error(status: Status): Uint8Array;
}

export function watchEncoder(answer: WatchAnswer, now: () => Date): WatchEncoder {
  const { kind, representation } = answer;
  if (representation.media === "protobuf") return protobufEncoder(kind);
  const show = transformer(answer, now);
  return {
    contentType: "application/json",
    event: (type, object) => (show ? line(type, show(object)) : sharedLine(type, object)),
    bookmark: (revision, endsInitial) => {
      const object = bookmarkObject(kind, revision, endsInitial);
      return line("BOOKMARK", show ? show(object) : object);
    },
    error: (status) => line("ERROR", status),
  };
}

function protobufEncoder(kind: Kind): WatchEncoder {
  return {
    contentType: "application/vnd.kubernetes.protobuf;stream=watch",
    event: (type, object) => encodeWatchFrame(type, encodeProtobuf(object, kind.message)),
    bookmark: (revision, endsInitial) => {
      const object = bookmarkObject(kind, revision, endsInitial);
      return encodeWatchFrame("BOOKMARK", encodeProtobuf(object, kind.message));
    },
    error: (status) => encodeWatchFrame("ERROR", encodeProtobuf(status, "meta/v1.Status")),
  };
}

/** Undefined where clients see the object itself. */
function transformer(
  { kind, representation, includeObject }: WatchAnswer,
  now: () => Date,
): ((object: KubeObject) => object) | undefined {
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

const lines: Readonly<Record<EventType, WeakMap<KubeObject, Buffer>>> = {
  ADDED: new WeakMap(),
  MODIFIED: new WeakMap(),
  DELETED: new WeakMap(),
};

function sharedLine(type: EventType, object: KubeObject): Buffer {
  const known = lines[type].get(object);
  if (known) return known;
  const made = Buffer.concat([HEADS[type], encodeJson(object), TAIL]);
  lines[type].set(object, made);
  return made;
}

/** A bookmark is an empty object of the kind that carries nothing but a revision. */
function bookmarkObject(kind: Kind, revision: number, endsInitial: boolean): KubeObject {
  const annotations = { "k8s.io/initial-events-end": "true" };
  const metadata = {
    resourceVersion: String(revision),
    ...(endsInitial ? { annotations } : {}),
  };
  const typeMeta = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  return decodeObject(parsed({ metadata }), kind.message, typeMeta).object;
}
