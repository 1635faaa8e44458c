/** Pure: the attributes of a request for authorization, and the error if it is denied. */
import { ApiError, forbidden } from "../../api/errors.ts";
import { quote } from "../../api/finding.ts";
import type { User } from "./user.ts";

export type Attributes = ResourceAttributes | PathAttributes;

export interface ResourceAttributes {
  readonly kind: "resource";
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** "" for the object itself. */
  readonly subresource: string;
  /** "" for all namespaces and for cluster-scoped resources. */
  readonly namespace: string;
  /** "" for whole collections. */
  readonly name: string;
}

export interface PathAttributes {
  readonly kind: "path";
  readonly verb: string;
  readonly path: string;
}

/** The 403 error in Kubernetes' words. */
export function refusal(user: User, attributes: Attributes, reason: string): ApiError {
  const message = escapeHtml(describe(user, attributes));
  const problem = reason === "" ? message : `${message}: ${reason}`;
  if (attributes.kind === "path")
    return new ApiError(403, "Forbidden", `forbidden: ${problem}`, {});
  const { group, resource, name } = attributes;
  return forbidden({ group, resource }, name, problem);
}

function describe({ name }: User, attributes: Attributes): string {
  const { verb } = attributes;
  if (attributes.kind === "path") {
    return `User ${quote(name)} cannot ${verb} path ${quote(attributes.path)}`;
  }
  const { group, resource, subresource, namespace } = attributes;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${quote(namespace)}`;
  const place = `in API group ${quote(group)} ${where}`;
  return `User ${quote(name)} cannot ${verb} resource ${quote(what)} ${place}`;
}

/** If a browser displays the answer, it must not contain markup. */
function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
