/** The Impersonate-User header and related ones: requests on behalf of another user. */
import type { IncomingMessage } from "node:http";
import { badRequest } from "../../api/errors.ts";
import { type ResourceAttributes, refusal } from "../authorization/attributes.ts";
import { ANONYMOUS, AUTHENTICATED, isAlmighty, type User } from "../authorization/user.ts";
import type { ApiServer } from "./request.ts";

const PREFIX = "impersonate-";
const EXTRA = "impersonate-extra-";

/** Throws a 403 if the user may not impersonate, and a 400 if the headers are incomplete. */
export function impersonate(
  { authorizer }: Pick<ApiServer, "authorizer">,
  user: User,
  message: Pick<IncomingMessage, "headers" | "headersDistinct">,
): User {
  if (!isAsked(message.headers)) return user;
  const wanted = readWanted(message.headersDistinct);
  if (authorizer && !isAlmighty(user)) {
    for (const attributes of demands(wanted)) {
      const { isAllowed, reason } = authorizer.authorize(user, attributes);
      if (!isAllowed) throw refusal(user, attributes, reason);
    }
  }
  return { ...becomes(wanted), impersonator: user };
}

function isAsked(headers: IncomingMessage["headers"]): boolean {
  for (const name in headers) if (name.startsWith(PREFIX)) return true;
  return false;
}

interface Wanted {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: { readonly [key: string]: readonly string[] };
}

function readWanted(headers: IncomingMessage["headersDistinct"]): Wanted {
  const name = headers["impersonate-user"]?.[0] ?? "";
  if (name === "") throw badRequest("requested impersonation without impersonating a user");
  const uid = headers["impersonate-uid"]?.[0];
  const extra: { [key: string]: readonly string[] } = {};
  for (const [header, values = []] of Object.entries(headers)) {
    if (header.startsWith(EXTRA)) extra[unescapeKey(header.slice(EXTRA.length))] = values;
    else if (header.startsWith(PREFIX) && !KNOWN.has(header)) {
      throw badRequest(`unknown impersonation header ${header}`);
    }
  }
  return {
    name,
    ...(uid ? { uid } : {}),
    groups: headers["impersonate-group"] ?? [],
    extra,
  };
}

const KNOWN = new Set(["impersonate-user", "impersonate-uid", "impersonate-group"]);

/** A key with an invalid escape is used as it is. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

const ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** One authorization check for the name, and one for each group, extra value and uid. */
function demands({ name, uid, groups, extra }: Wanted): ResourceAttributes[] {
  const [, namespace, account] = ACCOUNT.exec(name) ?? [];
  const asAccount = namespace !== undefined && account !== undefined;
  return [
    asAccount ? demand("", "serviceaccounts", account, { namespace }) : demand("", "users", name),
    ...groups.map((group) => demand("", "groups", group)),
    ...Object.entries(extra).flatMap(([key, values]) =>
      values.map((value) => demand(AUTHENTICATION, "userextras", value, { subresource: key })),
    ),
    ...(uid === undefined ? [] : [demand(AUTHENTICATION, "uids", uid)]),
  ];
}

const AUTHENTICATION = "authentication.k8s.io";

function demand(
  group: string,
  resource: string,
  name: string,
  more: { readonly namespace?: string; readonly subresource?: string } = {},
): ResourceAttributes {
  const { namespace = "", subresource = "" } = more;
  const version = group === "" ? "" : "v1";
  const verb = "impersonate";
  return { kind: "resource", verb, group, version, resource, subresource, namespace, name };
}

function becomes({ name, uid, groups, extra }: Wanted): User {
  const [, namespace] = ACCOUNT.exec(name) ?? [];
  const given =
    groups.length === 0 && namespace !== undefined
      ? ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]
      : groups;
  const common = name === ANONYMOUS.name ? (ANONYMOUS.groups[0] ?? "") : AUTHENTICATED;
  const isSaid = given.includes(AUTHENTICATED) || given.includes("system:unauthenticated");
  return {
    name,
    ...(uid === undefined ? {} : { uid }),
    groups: isSaid ? given : [...given, common],
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
