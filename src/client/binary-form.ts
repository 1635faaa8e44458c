/**
 * Pure: a binary encoding of objects on the wire, instead of JSON. It is worthwhile for
 * controllers, which read many objects: fewer bytes for them to read and for the server to write.
 * Clients that send few requests use JSON.
 */
import type { KubeObject } from "../api/object.ts";
import type { HttpRequest } from "./http-requests.ts";

export interface BinaryForm {
  /** The media type, without parameters. */
  readonly contentType: string;
  /** Absent if an object may contain mistakes that can only be reported if it is sent as JSON. */
  readonly encode?: (object: KubeObject) => Uint8Array;
  /** An object, a list of objects or a Status, with its apiVersion and kind. */
  decode(bytes: Uint8Array): unknown;
  /** One frame of a watch, without its length prefix. */
  decodeEvent(frame: Uint8Array): { readonly type: string; readonly object: unknown };
}

/** JSON is accepted too, because a proxy before the server may answer only in JSON. */
export function asking(form: BinaryForm | undefined, request: HttpRequest): HttpRequest {
  return form ? { ...request, accept: `${form.contentType},application/json` } : request;
}

/** Whether an answer has the requested binary form. */
export function isIn(
  form: BinaryForm | undefined,
  { contentType }: { readonly contentType?: string },
): form is BinaryForm {
  return form !== undefined && contentType?.split(";")[0]?.trim() === form.contentType;
}
