/** Pure: Kubernetes' protobuf encoding for clients, for the kinds that support it. */
import type { ResourceType } from "../api/client.ts";
import {
  decodeMessage,
  decodeProtobuf,
  decodeWatchEvent,
  encodeProtobuf,
} from "../api/schema/protobuf.ts";
import { findMessageOfKind } from "../api/schema/tables.ts";
import type { BinaryForm } from "./binary-form.ts";

const PROTOBUF = "application/vnd.kubernetes.protobuf";

/**
 * Kinds that are sent as protobuf: Tally's components compose them from data that a server has
 * already validated. Jobs are sent as JSON: they may contain user input from a Workflow, such as a
 * string instead of a number, which the server must reject and protobuf cannot represent.
 */
const COMPOSED: ReadonlySet<string> = new Set(["Pod", "Event"]);

/** Undefined for custom resources, including Tally's own kinds: these support only JSON. */
export function protobufForm({ group, version, kind }: ResourceType): BinaryForm | undefined {
  if (!isOfKubernetes(group)) return undefined;
  const message = findMessageOfKind({ group, version, kind });
  if (message === undefined) return undefined;
  return {
    contentType: PROTOBUF,
    ...(COMPOSED.has(kind) ? { encode: (object) => encodeProtobuf(object, message) } : {}),
    decode,
    decodeEvent: (frame) => {
      const { type, body } = decodeWatchEvent(frame);
      return { type, object: decode(body) };
    },
  };
}

function isOfKubernetes(group: string): boolean {
  return !group.includes(".") || group.endsWith(".k8s.io");
}

function decode(bytes: Uint8Array): unknown {
  const { apiVersion, kind, message } = decodeProtobuf(bytes);
  const slash = apiVersion.indexOf("/");
  const group = apiVersion.slice(0, Math.max(0, slash));
  const version = apiVersion.slice(slash + 1);
  const name = findMessageOfKind({ group, version, kind });
  if (name === undefined) throw new Error(`the server answered with a ${apiVersion} ${kind}`);
  return Object.assign({ kind, apiVersion }, decodeMessage(name, message));
}
