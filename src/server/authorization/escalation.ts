/**
 * Prevents privilege escalation: a user can write a role only with rules that the user holds, and
 * bind one only if the user holds its rules or may bind it.
 */
import { isEqual } from "../../api/equal.ts";
import { ApiError, forbidden } from "../../api/errors.ts";
import { quote } from "../../api/finding.ts";
import type { ClusterRole, PolicyRule, Role } from "../../api/generated/rbac.ts";
import type { KubeObject } from "../../api/object.ts";
import { RBAC_GROUP } from "../../kinds/rbac/validate.ts";
import { type Authorizer, missing } from "./authorizer.ts";
import type { AnyBinding } from "./binding-index.ts";
import { compactRules, formatRule, uncovered } from "./coverage.ts";
import { isAlmighty, type User } from "./user.ts";

export interface RoleWrite {
  readonly user: User;
  /** One of the four resources of the RBAC group. */
  readonly resource: string;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly object: KubeObject;
  readonly old?: KubeObject;
}

/** Throws an ApiError if the write is not allowed. */
export function refuseEscalation(authorizer: Authorizer, write: RoleWrite): void {
  const { user, resource, object, old } = write;
  if (isAlmighty(user) || (old && onlyLifeChanged(object, old))) return;
  if (resource === "roles" || resource === "clusterroles") refuseRole(authorizer, write);
  else refuseBinding(authorizer, write);
}

/** The garbage collector must be able to change owners and finalizers of roles it may not grant. */
function onlyLifeChanged(next: KubeObject, old: KubeObject): boolean {
  const { ownerReferences, finalizers } = old.metadata;
  const metadata = { ...next.metadata, ownerReferences, finalizers };
  const { managedFields: _next, ...rest } = metadata;
  const { managedFields: _old, ...before } = { ...old.metadata, ownerReferences, finalizers };
  return isEqual({ ...next, metadata: rest }, { ...old, metadata: before });
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

function refuseRole(authorizer: Authorizer, write: RoleWrite): void {
  const { user, resource, namespace, object, old } = write;
  const { name = "" } = object.metadata;
  if (isAllowed(authorizer, user, { verb: "escalate", resource, namespace, name })) return;
  refuseMissing(authorizer, write, (object as Role).rules ?? []);
  const isAggregated = [object, old].some((role) => (role as ClusterRole)?.aggregationRule);
  if (!isAggregated) return;
  if (uncovered(authorizer.rulesOf(user, namespace).rules, EVERYTHING).length === 0) return;
  const problem = "must have cluster-admin privileges to use the aggregationRule";
  throw forbidden({ group: RBAC_GROUP, resource }, name, problem);
}

function refuseBinding(authorizer: Authorizer, write: RoleWrite): void {
  const { user, namespace } = write;
  const { roleRef } = write.object as AnyBinding;
  const resource = roleRef.kind === "Role" ? "roles" : "clusterroles";
  const { name } = roleRef;
  if (isAllowed(authorizer, user, { verb: "bind", resource, namespace, name })) return;
  const rules = authorizer.findRules(roleRef, namespace);
  if (!rules) {
    const details = { name, group: RBAC_GROUP, kind: roleRef.kind.toLowerCase() };
    throw new ApiError(404, "NotFound", missing(roleRef), details);
  }
  refuseMissing(authorizer, write, rules);
}

interface Grant {
  readonly verb: "bind" | "escalate";
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

function isAllowed(authorizer: Authorizer, user: User, grant: Grant): boolean {
  const place = { kind: "resource", group: RBAC_GROUP, version: "*", subresource: "" } as const;
  return authorizer.authorize(user, { ...place, ...grant }).isAllowed;
}

function refuseMissing(
  authorizer: Authorizer,
  { user, resource, namespace, object }: RoleWrite,
  rules: readonly PolicyRule[],
): void {
  const held = authorizer.rulesOf(user, namespace);
  const lacking = uncovered(held.rules, rules);
  if (lacking.length === 0) return;
  const lines = [...new Set(compactRules(lacking).map(formatRule))].sort();
  const groups = `[${user.groups.map(quote).join(" ")}]`;
  const attempt = "is attempting to grant RBAC permissions not currently held";
  const errors =
    held.problems.length > 0 ? `; resolution errors: [${held.problems.join(" ")}]` : "";
  const who = `user ${quote(user.name)} (groups=${groups})`;
  const problem = `${who} ${attempt}:\n${lines.join("\n")}${errors}`;
  throw forbidden({ group: RBAC_GROUP, resource }, object.metadata.name ?? "", problem);
}
