/** Encodes watch events. Watches that show the same event in the same form share its bytes. */
import type { Status } from "../../api/errors.ts";
import { encodeJson } from "../../api/json-bytes.ts";
import type { KubeObject } from "../../api/object.ts";
import { decodeObject } from "../../api/schema/decode.ts";
import { parsed } from "../../api/schema/parsed-json.ts";
import {
  encodeProtobuf,
  encodeWatchFrame,
  type WatchEventType,
} from "../../api/schema/protobuf.ts";
import { apiVersionOf, type Kind } from "../../kinds/kind.ts";
import type { WatchAnswer } from "./answer.ts";
import { toPartialMetadata, toTable } from "./table.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** Returns the bytes cached under this key, or encodes them. */
export type Share = (key: string, encode: () => Uint8Array) => Uint8Array;

export interface WatchEncoder {
  readonly contentType: string;
  /** Whether an event looks the same to every watch with this encoding. */
  readonly isShared: boolean;
  event(type: EventType, object: KubeObject): Uint8Array;
  bookmark(revision: number, endsInitial: boolean): Uint8Array;
  error(status: Status): Uint8Array;
}

/** The parts of an answer that an encoder needs. */
type Shape = Pick<WatchAnswer, "kind" | "representation" | "includeObject">;

export function watchEncoder(answer: Shape, now: () => Date, share: Share): WatchEncoder {
  const { kind, representation } = answer;
  const show = transformer(answer);
  const media = representation.media === "protobuf" ? protobufMedia(kind) : JSON_MEDIA;
  const form = `${media.contentType} ${idOf(kind)}`;
  const isShared = show === undefined;
  let isFirst = true;
  return {
    contentType: media.contentType,
    isShared,
    event: (type, object) => {
      if (!show) return share(keyOf(form, type, object), () => media.object(type, object));
      const shown = { withColumns: isFirst, now: now() };
      isFirst = false;
      const key = `${show.form(shown)} ${keyOf(form, type, object)}`;
      return share(key, () => media.view(type, show.view(object, shown)));
    },
    bookmark: (revision, endsInitial) => {
      const object = bookmarkObject(kind, revision, endsInitial);
      if (!show) return media.bookmark(object);
      const shown = { withColumns: isFirst, now: now() };
      isFirst = false;
      return media.view("BOOKMARK", show.view(object, shown));
    },
    error: media.error,
  };
}

/** The resourceVersion identifies a state: no other state of any object has the same. */
function keyOf(form: string, type: EventType, { metadata }: KubeObject): string {
  const { namespace = "", name, resourceVersion } = metadata;
  return `${form} ${type} ${resourceVersion} ${namespace}/${name}`;
}

const ids = new WeakMap<Kind, number>();
let lastId = 0;

/** If a custom kind is redefined, it may show the same objects differently. */
function idOf(kind: Kind): number {
  const id = ids.get(kind) ?? ++lastId;
  ids.set(kind, id);
  return id;
}

/** Encodes events; a view is an object in another form, such as a table. */
interface Media {
  readonly contentType: string;
  object(type: EventType, object: KubeObject): Uint8Array;
  view(type: WatchEventType, view: object): Uint8Array;
  bookmark(object: KubeObject): Uint8Array;
  error(status: Status): Uint8Array;
}

const JSON_MEDIA: Media = {
  contentType: "application/json",
  object: (type, object) => Buffer.concat([HEADS[type], encodeJson(object), TAIL]),
  view: line,
  bookmark: (object) => line("BOOKMARK", object),
  error: (status) => line("ERROR", status),
};

function protobufMedia(kind: Kind): Media {
  const encode = (type: WatchEventType, object: KubeObject, message: string) =>
    encodeWatchFrame(type, encodeProtobuf(object, message));
  return {
    contentType: "application/vnd.kubernetes.protobuf;stream=watch",
    object: (type, object) => encode(type, object, kind.message),
    // Protobuf has no tables, so that the only other view is metadata.
    view: (type, view) => encode(type, view as KubeObject, "meta/v1.PartialObjectMetadata"),
    bookmark: (object) => encode("BOOKMARK", object, kind.message),
    error: (status) => encodeWatchFrame("ERROR", encodeProtobuf(status, "meta/v1.Status")),
  };
}

interface Shown {
  /** The first table of a watch includes its columns. */
  readonly withColumns: boolean;
  readonly now: Date;
}

interface Show {
  /** Identifies the form: views of the same object with the same form are equal. */
  form(shown: Shown): string;
  view(object: KubeObject, shown: Shown): object;
}

/** Undefined if clients see the object itself. */
function transformer({ kind, representation, includeObject }: Shape): Show | undefined {
  const { as, version = "v1" } = representation;
  if (as === undefined) return undefined;
  if (as !== "Table") {
    return { form: () => `${as} ${version}`, view: (object) => toPartialMetadata(object, version) };
  }
  return {
    // A table shows ages in seconds.
    form: ({ withColumns, now }) =>
      `${as} ${version} ${includeObject} ${withColumns} ${Math.floor(now.getTime() / 1000)}`,
    view: (object, { withColumns, now }) => {
      const metadata = { resourceVersion: object.metadata.resourceVersion };
      return toTable(kind, [object], metadata, { version, includeObject, now }, withColumns);
    },
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

/** A bookmark is an empty object of the kind, with only a revision. */
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
