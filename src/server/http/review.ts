/** Questions of who may do what: asked by creating an object that is answered and never stored. */
import type { PolicyRule } from "../../api/generated/rbac.ts";
import { type AskedAccess, answerReview, type Reviewer } from "../../kinds/review/answer.ts";
import type { Attributes } from "../authorization/attributes.ts";
import { aggregate } from "../authorization/authorizer.ts";
import { type User, userInfo } from "../authorization/user.ts";
import { timestamp } from "../context.ts";
import type { Answer } from "./answer.ts";
import { readObject } from "./body.ts";
import { parseWriteQuery } from "./options.ts";
import { representObject, type View } from "./represent.ts";
import type { ApiServer, ResourceRequest } from "./request.ts";

export function serveReview(server: ApiServer, request: ResourceRequest, view: View): Answer {
  const { kind } = request;
  const options = parseWriteQuery(request.query, "CreateOptions");
  const decoded = readObject(server, request, kind, options.fieldValidation);
  const reviewer: Reviewer = {
    user: userInfo(request.user),
    now: timestamp(server.clock),
    namespace: request.namespace ?? "",
    authenticate: (token, audiences) => {
      const verdict = server.tokens.verify(token, audiences);
      if (verdict.kind === "user") return { ...verdict, user: userInfo(verdict.user) };
      return verdict;
    },
    decide: (asked) => decide(server, asked),
    rules: (namespace) => rulesOf(server, request.user, namespace),
  };
  const answered = answerReview(kind, decoded.object, reviewer);
  const represented = representObject(kind, answered, view);
  return { type: "bytes", status: 201, ...represented, warnings: decoded.warnings, revision: 0 };
}

function decide({ authorizer }: ApiServer, asked: AskedAccess): ReturnType<Reviewer["decide"]> {
  if (!authorizer) return { allowed: true };
  const { username = "", groups = [] } = asked.user;
  const decision = authorizer.authorize({ name: username, groups }, attributesOf(asked));
  const { isAllowed, reason } = decision;
  return { allowed: isAllowed, ...(reason === "" ? {} : { reason }) };
}

function attributesOf({ resource, path }: AskedAccess): Attributes {
  if (!resource) return { kind: "path", verb: path?.verb ?? "", path: path?.path ?? "" };
  const { verb = "", group = "", version = "", subresource = "", namespace = "" } = resource;
  const { name = "", resource: what = "" } = resource;
  const place = { verb, group, version, resource: what, subresource, namespace, name };
  return { kind: "resource", ...place };
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

function rulesOf(
  { authorizer }: ApiServer,
  user: User,
  namespace: string,
): ReturnType<Reviewer["rules"]> {
  if (!authorizer) return { rules: EVERYTHING };
  const { rules, problems } = authorizer.rulesOf(user, namespace);
  return { rules, ...(problems.length > 0 ? { problem: aggregate(problems) } : {}) };
}
