/** Pure: composes the audit event of a request: user, action, times and outcome. */
import { formatMicroTime } from "../../api/time.ts";
import type { Attributes } from "../authorization/attributes.ts";
import { type User, userInfo } from "../authorization/user.ts";

/** Receives the audit events. */
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
  /** The result of authorization. */
  readonly isAllowed: boolean;
  readonly reason: string;
  /** Annotations that admission adds. */
  readonly annotations?: { readonly [key: string]: string };
  readonly atMs: number;
}

export interface AuditEvent {
  readonly kind: "Event";
  readonly apiVersion: "audit.k8s.io/v1";
  readonly [field: string]: unknown;
}

/** The level is Metadata: bodies and credentials are never included. */
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

/**
 * These parameters do not authenticate, but a client that sends them may have put a secret there.
 */
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
