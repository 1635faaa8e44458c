/** Authorizes a request: determines its attributes and asks the authorizer. */
import { findFieldEquality, parseFieldSelector } from "../../api/selectors/field-selector-query.ts";
import { type Attributes, refusal } from "../authorization/attributes.ts";
import type { Authorizer } from "../authorization/authorizer.ts";
import { isAlmighty, type User } from "../authorization/user.ts";
import type { ApiServer } from "./request.ts";
import { parseRoute, type Route } from "./route.ts";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Throws Kubernetes' 403 error. If there is no route, the caller rejects the request. */
export function authorizeRequest(
  { authorizer }: Pick<ApiServer, "authorizer">,
  user: User,
  asked: Asked,
  route: Route | undefined = parseRoute(asked.path),
): void {
  if (!authorizer || !route || isAlmighty(user)) return;
  const attributes = attributesOf(asked, route);
  judge(authorizer, user, attributes);
  // A WebSocket opens a stream with GET. It needs the right to create, like a POST.
  if (opensStream(attributes)) judge(authorizer, user, { ...attributes, verb: "create" });
}

function judge(authorizer: Authorizer, user: User, attributes: Attributes): void {
  const { isAllowed, reason } = authorizer.authorize(user, attributes);
  if (!isAllowed) throw refusal(user, attributes, reason);
}

const STREAMS = ["attach", "exec", "portforward"];

function opensStream(attributes: Attributes): boolean {
  if (attributes.kind === "path" || attributes.verb !== "get") return false;
  const { group, resource, subresource } = attributes;
  return group === "" && resource === "pods" && STREAMS.includes(subresource);
}

export function attributesOf({ method, path, query }: Asked, route: Route): Attributes {
  if (route.kind === "other") return { kind: "path", verb: method.toLowerCase(), path };
  const { group, version, resource, subresource = "", name, namespace } = route.resource;
  // For a request on a namespace, its own name is the namespace: a role inside it may allow it.
  const own = resource === "namespaces" && group === "" ? name : undefined;
  return {
    kind: "resource",
    verb: verbOf(method, query, { isNamed: name !== undefined, isWatch: route.resource.watch }),
    group,
    version,
    resource,
    // Text after the subresource is not part of its name.
    subresource: subresource.split("/", 1)[0] ?? "",
    namespace: namespace ?? own ?? "",
    name: name ?? selectedName(method, query),
  };
}

const VERBS: { readonly [method: string]: string } = {
  POST: "create",
  GET: "get",
  HEAD: "get",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

interface Shape {
  readonly isNamed: boolean;
  readonly isWatch: boolean;
}

function verbOf(method: string, query: URLSearchParams, { isNamed, isWatch }: Shape): string {
  if (isWatch) return "watch";
  const verb = VERBS[method] ?? "";
  if (isNamed) return verb;
  if (verb === "delete") return "deletecollection";
  if (verb !== "get") return verb;
  return isTrue(query.get("watch")) ? "watch" : "list";
}

/** Query flags as Kubernetes parses them: every value except these two means true. */
function isTrue(value: string | null): boolean {
  return value !== null && value.toLowerCase() !== "false" && value !== "0";
}

/** A list or watch that selects one object by name is authorized like a request for that object. */
function selectedName(method: string, query: URLSearchParams): string {
  const selector = query.get("fieldSelector");
  if (selector === null || VERBS[method] !== "get") return "";
  try {
    return findFieldEquality(parseFieldSelector(selector), "metadata.name") ?? "";
  } catch {
    // The verb reports the invalid selector.
    return "";
  }
}
