/**
 * Pure: objects on the wire in another form than JSON. Who talks to a server now and then has no
 * use for one; a controller has fewer bytes to read, and its server has fewer to write.
 */
import type { KubeObject } from "../api/object.ts";
import type { HttpRequest } from "./http-requests.ts";

export interface BinaryForm {
  /** The media type, without parameters. */
  readonly contentType: string;
  /** Absent where objects may be wrong in ways that only their JSON shows. */
  readonly encode?: (object: KubeObject) => Uint8Array;
  /** An object, a list of such, or a Status, with its apiVersion and kind. */
  decode(bytes: Uint8Array): unknown;
  /** One frame of a watch, without its length. */
  decodeEvent(frame: Uint8Array): { readonly type: string; readonly object: unknown };
}

/** JSON is understood in its place: what is between us and the server knows nothing else. */
export function asking(form: BinaryForm | undefined, request: HttpRequest): HttpRequest {
  return form ? { ...request, accept: `${form.contentType},application/json` } : request;
}

/** Whether an answer has the form that was asked for. */
export function isIn(
  form: BinaryForm | undefined,
  { contentType }: { readonly contentType?: string },
): form is BinaryForm {
  return form !== undefined && contentType?.split(";")[0]?.trim() === form.contentType;
}
