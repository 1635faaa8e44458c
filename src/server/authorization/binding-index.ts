/**
 * An index of bindings by subject, kept up to date by the changes of the store, so that a decision
 * costs only as much as the user has bindings.
 */
import type { ClusterRoleBinding, RoleBinding, Subject } from "../../api/generated/rbac.ts";
import type { Change, Store, Subscription } from "../../store/types.ts";
import { accountUserName } from "../tokens/claims.ts";
import type { User } from "./user.ts";

export type AnyBinding = RoleBinding | ClusterRoleBinding;

export interface Bound {
  readonly binding: AnyBinding;
  /** The first subject of the binding that matches the user. */
  readonly subject: Subject;
}

export interface BindingIndex {
  /** Sorted by name; "" for cluster role bindings. */
  find(user: User, namespace: string): readonly Bound[];
  close(): void;
}

export const BINDINGS = {
  cluster: "clusterrolebindings.rbac.authorization.k8s.io",
  namespaced: "rolebindings.rbac.authorization.k8s.io",
} as const;

export function openBindingIndex(store: Pick<Store, "list" | "subscribe">): BindingIndex {
  const bySubject = new Map<string, Map<string, Bound>>();
  const onChange = ({ type, object, previous }: Pick<Change, "type" | "object" | "previous">) => {
    if (previous) forget(bySubject, previous as AnyBinding);
    if (type === "DELETED") forget(bySubject, object as AnyBinding);
    else learn(bySubject, object as AnyBinding);
  };
  const subscriptions: Subscription[] = Object.values(BINDINGS).map((resource) => {
    const { items, revision } = store.list(resource);
    for (const object of items) learn(bySubject, object as AnyBinding);
    return store.subscribe(resource, revision, onChange);
  });
  return {
    find: (user, namespace) => find(bySubject, user, namespace),
    close: () => {
      for (const subscription of subscriptions) subscription.close();
    },
  };
}

type Index = Map<string, Map<string, Bound>>;

function learn(index: Index, binding: AnyBinding): void {
  for (const subject of binding.subjects ?? []) {
    const key = subjectKey(binding, subject);
    if (key === undefined) continue;
    const bound = index.get(key) ?? new Map<string, Bound>();
    index.set(key, bound);
    const { name = "" } = binding.metadata;
    if (!bound.has(name)) bound.set(name, { binding, subject });
  }
}

function forget(index: Index, binding: AnyBinding): void {
  for (const subject of binding.subjects ?? []) {
    const key = subjectKey(binding, subject);
    const bound = key === undefined ? undefined : index.get(key);
    if (key === undefined || !bound) continue;
    bound.delete(binding.metadata.name ?? "");
    if (bound.size === 0) index.delete(key);
  }
}

function subjectKey({ metadata }: AnyBinding, subject: Subject): string | undefined {
  const { namespace = "" } = metadata;
  switch (subject.kind) {
    case "User":
      return userKey(namespace, subject.name);
    case "Group":
      return groupKey(namespace, subject.name);
    case "ServiceAccount": {
      const home = subject.namespace || namespace;
      return home === "" ? undefined : userKey(namespace, accountUserName(home, subject.name));
    }
    default:
      return undefined;
  }
}

function userKey(namespace: string, name: string): string {
  return `${namespace} user ${name}`;
}

function groupKey(namespace: string, name: string): string {
  return `${namespace} group ${name}`;
}

function find(index: Index, { name, groups }: User, namespace: string): readonly Bound[] {
  const keys = [userKey(namespace, name), ...groups.map((group) => groupKey(namespace, group))];
  const found = new Map<string, Bound>();
  for (const key of keys) {
    for (const [binding, bound] of index.get(key) ?? []) {
      if (!found.has(binding)) found.set(binding, bound);
    }
  }
  if (found.size < 2) return [...found.values()];
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, bound]) => bound);
}
