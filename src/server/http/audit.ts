/** Pure: one request as an event of the audit log: who did what, when, and how it ended. */
import { formatMicroTime } from "../../api/time.ts";
import type { Attributes } from "../authorization/attributes.ts";
import { type User, userInfo } from "../authorization/user.ts";

/** Where events go; a line each. */
export interface AuditLog {
  note(event: AuditEvent): void;
}

export interface AuditedRequest {
  readonly id: string;
  readonly uri: string;
  readonly user: User;
  readonly attributes: Attributes;
  readonly sourceAddress: string;
  readonly userAgent: string | undefined;
  readonly receivedMs: number;
}

export interface AuditedOutcome {
  readonly stage: "RequestReceived" | "ResponseComplete";
  /** Absent before there is a response. */
  readonly code?: number;
  /** Of the decision who may do what. */
  readonly isAllowed: boolean;
  readonly reason: string;
  /** What admission has to add. */
  readonly annotations?: { readonly [key: string]: string };
  readonly atMs: number;
}

export interface AuditEvent {
  readonly kind: "Event";
  readonly apiVersion: "audit.k8s.io/v1";
  readonly [field: string]: unknown;
}

/** The level is Metadata: neither bodies nor credentials are ever part of it. */
export function composeAuditEvent(request: AuditedRequest, outcome: AuditedOutcome): AuditEvent {
  const { user, attributes } = request;
  const { impersonator } = user;
  const { code, isAllowed, reason } = outcome;
  return {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "Metadata",
    auditID: request.id,
    stage: outcome.stage,
    requestURI: request.uri.replace(CREDENTIALS, "$1…"),
    verb: attributes.verb,
    user: userInfo(impersonator ?? user),
    ...(impersonator ? { impersonatedUser: userInfo(user) } : {}),
    sourceIPs: [request.sourceAddress],
    ...(request.userAgent === undefined ? {} : { userAgent: request.userAgent }),
    ...objectRef(attributes),
    ...(code === undefined ? {} : { responseStatus: responseStatus(code) }),
    requestReceivedTimestamp: formatMicroTime(request.receivedMs),
    stageTimestamp: formatMicroTime(outcome.atMs),
    annotations: {
      "authorization.k8s.io/decision": isAllowed ? "allow" : "forbid",
      "authorization.k8s.io/reason": reason,
      ...outcome.annotations,
    },
  };
}

/** Nobody is let in by these, but whoever wrote them there meant a secret. */
const CREDENTIALS = /([?&](?:[a-z_-]*token|authorization|password)=)[^&]*/gi;

function responseStatus(code: number): object {
  return { metadata: {}, ...(code >= 400 ? { status: "Failure" } : {}), code };
}

function objectRef(attributes: Attributes): { readonly objectRef?: object } {
  if (attributes.kind === "path") return {};
  const { resource, namespace, name, group, version, subresource } = attributes;
  return {
    objectRef: {
      resource,
      ...(namespace === "" ? {} : { namespace }),
      ...(name === "" ? {} : { name }),
      ...(group === "" ? {} : { apiGroup: group }),
      apiVersion: version,
      ...(subresource === "" ? {} : { subresource }),
    },
  };
}
