/** Reviews, such as SubjectAccessReview: objects that are created, answered and never stored. */
import type { ManagedFieldsEntry, ObjectMeta } from "../../api/generated/meta.ts";
import type { PolicyRule } from "../../api/generated/rbac.ts";
import type { Draft } from "../../api/object.ts";
import { type AskedAccess, answerReview, type Reviewer } from "../../kinds/review/answer.ts";
import type { Attributes } from "../authorization/attributes.ts";
import { aggregate } from "../authorization/authorizer.ts";
import { type User, userInfo } from "../authorization/user.ts";
import { timestamp } from "../context.ts";
import { matchNamespace, trackCreate } from "../verbs/create.ts";
import type { Answer } from "./answer.ts";
import { readObject } from "./body.ts";
import { warned } from "./error-answer.ts";
import { managerOfAgent, parseWriteQuery } from "./options.ts";
import { representObject, type View } from "./represent.ts";
import type { ApiServer, ResourceRequest } from "./request.ts";

export function serveReview(server: ApiServer, request: ResourceRequest, view: View): Answer {
  const { kind, namespace = "" } = request;
  const options = parseWriteQuery(request.query, "CreateOptions");
  const manager = options.fieldManager || managerOfAgent(request.userAgent);
  const decoded = readObject(server, request, kind, options.fieldValidation);
  return warned(server, request, decoded.warnings, () => {
    const review = decoded.object;
    matchNamespace(kind.namespaced, namespace, review);
    wipeSystemFields(review.metadata);
    const managed = trackCreate(server, kind, review, { ...options, manager });
    if (managed) review.metadata.managedFields = managed as Draft<ManagedFieldsEntry>[];
    const answered = answerReview(kind, review, reviewerOf(server, request));
    return { type: "bytes", status: 201, ...representObject(kind, answered, view), revision: 0 };
  });
}

/** Fields that only the server may set. */
function wipeSystemFields(metadata: Draft<ObjectMeta>): void {
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.managedFields;
}

function reviewerOf(server: ApiServer, request: ResourceRequest): Reviewer {
  return {
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
