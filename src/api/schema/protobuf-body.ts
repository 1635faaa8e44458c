/** Pure: decodes the protobuf body of a create or update to an object of the expected kind. */
import { ApiError, badRequest } from "../errors.ts";
import type { Draft, KubeObject } from "../object.ts";
import { unrecognized } from "./body.ts";
import type { ExpectedKind } from "./kind-of-body.ts";
import { decodeMessage, decodeProtobuf, type Envelope } from "./protobuf.ts";

/** Throws ApiError 400 for invalid bytes. */
export function decodeProtobufBody(
  bytes: Uint8Array,
  expected: ExpectedKind,
  mostValues?: number,
): Draft<KubeObject> {
  const { group, version, kind } = expected;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const envelope = openEnvelope(bytes, expected);
  const given = {
    apiVersion: envelope.apiVersion === "" ? apiVersion : envelope.apiVersion,
    kind: envelope.kind === "" ? kind : envelope.kind,
  };
  const described = `${given.kind} in version "${given.apiVersion.split("/").at(-1)}"`;
  const refuse = (problem: string): ApiError =>
    badRequest(`${described} cannot be handled as a ${kind}: ${problem}`);
  if (given.apiVersion !== apiVersion || given.kind !== kind) {
    throw refuse(`the body is ${given.apiVersion} ${given.kind}, not ${apiVersion} ${kind}`);
  }
  try {
    const object = decodeMessage<KubeObject>(expected.message, envelope.message, mostValues);
    return Object.assign({ kind, apiVersion }, object, { kind, apiVersion });
  } catch (error) {
    if (error instanceof ApiError) throw refuse(error.message);
    throw error;
  }
}

function openEnvelope(bytes: Uint8Array, expected: ExpectedKind): Envelope {
  try {
    return decodeProtobuf(bytes);
  } catch (error) {
    if (error instanceof ApiError) throw unrecognized(bytes, expected, error.message);
    throw error;
  }
}
