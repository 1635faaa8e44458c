/**
 * Authorization: Kubernetes' RBAC with the roles and bindings in the store.
 *
 * Reading order: user, attributes (the request), rules (one rule), binding-index (the rules of a
 * user), this file (the decision), escalation (which rights may be granted), default-roles. Nothing
 * here knows about HTTP. Components inside the process are not authorized at all.
 */
import { quote } from "../../api/finding.ts";
import type { PolicyRule, RoleRef } from "../../api/generated/rbac.ts";
import type { Store } from "../../store/types.ts";
import type { Attributes } from "./attributes.ts";
import { type BindingIndex, type Bound, openBindingIndex } from "./binding-index.ts";
import { ruleAllows } from "./rules.ts";
import { isAlmighty, type User } from "./user.ts";

export interface Decision {
  readonly isAllowed: boolean;
  /** The reason, or "" if there is none. */
  readonly reason: string;
}

export interface GrantedRules {
  readonly rules: readonly PolicyRule[];
  /** Roles that bindings refer to but that do not exist. */
  readonly problems: readonly string[];
}

export interface Authorizer {
  authorize(user: User, attributes: Attributes): Decision;
  /** All rights of a user in a namespace; "" for rights in the whole cluster. */
  rulesOf(user: User, namespace: string): GrantedRules;
  /** The rules of the role of a binding in the namespace; undefined if the role does not exist. */
  findRules(role: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
  close(): void;
}

type Reading = Pick<Store, "get" | "list" | "subscribe">;

/**
 * The index is built at the first request of a user who is not an administrator; `prepare` is
 * called before.
 */
export function openAuthorizer(store: Reading, prepare: () => void = () => {}): Authorizer {
  let opened: BindingIndex | undefined;
  const bindings = (): BindingIndex => {
    if (opened) return opened;
    prepare();
    opened = openBindingIndex(store);
    return opened;
  };
  const findRules: Authorizer["findRules"] = (role, namespace) => rulesIn(store, role, namespace);
  return {
    authorize: (user, attributes) => {
      if (isAlmighty(user)) return { isAllowed: true, reason: "" };
      return decide(bindings(), findRules, user, attributes);
    },
    rulesOf: (user, namespace) => granted(bindings(), findRules, user, namespace),
    findRules,
    close: () => opened?.close(),
  };
}

function rulesIn(
  store: Pick<Store, "get">,
  { kind, name }: RoleRef,
  namespace: string,
): readonly PolicyRule[] | undefined {
  const isLocal = kind === "Role";
  const resource = `${isLocal ? "roles" : "clusterroles"}.rbac.authorization.k8s.io`;
  const role = store.get({ resource, namespace: isLocal ? namespace : "", name });
  if (!role) return undefined;
  return (role as { rules?: readonly PolicyRule[] | null }).rules ?? [];
}

function decide(
  bindings: BindingIndex,
  findRules: Authorizer["findRules"],
  user: User,
  attributes: Attributes,
): Decision {
  const problems: string[] = [];
  for (const namespace of scopesOf(attributes)) {
    for (const bound of bindings.find(user, namespace)) {
      const { roleRef } = bound.binding;
      const rules = findRules(roleRef, namespace);
      if (!rules) problems.push(missing(roleRef));
      else if (rules.some((rule) => ruleAllows(rule, attributes))) {
        return { isAllowed: true, reason: `RBAC: allowed by ${describeBound(bound)}` };
      }
    }
  }
  const reason = problems.length === 0 ? "" : `RBAC: ${aggregate(problems)}`;
  return { isAllowed: false, reason };
}

function scopesOf(attributes: Attributes): string[] {
  if (attributes.kind === "path" || attributes.namespace === "") return [""];
  return ["", attributes.namespace];
}

function granted(
  bindings: BindingIndex,
  findRules: Authorizer["findRules"],
  user: User,
  namespace: string,
): GrantedRules {
  const scopes = namespace === "" ? [""] : ["", namespace];
  const found = scopes.flatMap((scope) =>
    bindings.find(user, scope).map(({ binding }) => ({
      role: binding.roleRef,
      rules: findRules(binding.roleRef, scope),
    })),
  );
  return {
    rules: found.flatMap(({ rules = [] }) => rules),
    problems: found.flatMap(({ role, rules }) => (rules ? [] : [missing(role)])),
  };
}

export function missing({ kind, name }: RoleRef): string {
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${quote(name)} not found`;
}

/** Go's aggregate of errors: duplicates removed, in brackets if there are several. */
export function aggregate(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? distinct.join("") : `[${distinct.join(", ")}]`;
}

function describeBound({ binding, subject }: Bound): string {
  const { name = "", namespace } = binding.metadata;
  const { roleRef } = binding;
  const home = subject.namespace || (namespace ?? "");
  const who = subject.kind === "ServiceAccount" ? `${subject.name}/${home}` : subject.name;
  const what = namespace === undefined ? name : `${name}/${namespace}`;
  const kind = namespace === undefined ? "ClusterRoleBinding" : "RoleBinding";
  const role = `${roleRef.kind} ${quote(roleRef.name)}`;
  return `${kind} ${quote(what)} of ${role} to ${subject.kind} ${quote(who)}`;
}
