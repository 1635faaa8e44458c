/** Pure: decodes an object from a component or a client into a draft that the server may modify. */
import { badRequest } from "../api/errors.ts";
import { quote } from "../api/finding.ts";
import type { Draft, Json, KubeObject } from "../api/object.ts";
import { DecodeError, decodeObject } from "../api/schema/decode.ts";
import { parsed } from "../api/schema/parsed-json.ts";
import { apiVersionOf, type Kind } from "../kinds/kind.ts";
import type { ServerContext } from "./context.ts";

/**
 * The given object may be shared or incomplete. Parts that are identical to those of `known` are
 * reused without decoding them again.
 */
export function decodeGiven(
  { gates }: Pick<ServerContext, "gates">,
  kind: Kind,
  object: KubeObject,
  known?: KubeObject,
): Draft<KubeObject> {
  const typeMeta = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  try {
    const json = parsed(object as unknown as Json);
    const draft = kind.custom
      ? kind.custom.decode(parsed({ ...object, ...typeMeta } as unknown as Json)).object
      : decodeObject(json, kind.message, typeMeta, known).object;
    kind.rules.setDefaults?.(draft, gates, known);
    return draft;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const what = `${kind.kind} in version ${quote(kind.version)}`;
    throw badRequest(`${what} cannot be handled as a ${kind.kind}: ${error.message}`);
  }
}
