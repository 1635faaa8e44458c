/** Writes a request to the audit log. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Annotate } from "../admission/plugin.ts";
import { isAlmighty, type User } from "../authorization/user.ts";
import { type AuditedOutcome, composeAuditEvent } from "./audit.ts";
import { type Asked, attributesOf } from "./authorize.ts";
import type { Contain } from "./contain.ts";
import type { ApiServer } from "./request.ts";
import { parseRoute } from "./route.ts";

/** For an upgraded request, which has no HTTP response whose end could be observed. */
export interface AuditedUpgrade {
  /** The protocol was switched, unless a response is given that rejected the upgrade. */
  end(refusal?: ServerResponse): void;
}

export interface NotedRequest {
  readonly annotate: Annotate;
  readonly upgrade?: AuditedUpgrade;
}

/** A request is recorded when its response has ended; an upgrade also when it arrives. */
export function noteRequest(
  server: ApiServer,
  exchange: {
    readonly message: IncomingMessage;
    readonly response: ServerResponse;
    readonly upgrading?: unknown;
  },
  contain: Contain,
  asked: Asked & { readonly user: User },
): NotedRequest | undefined {
  const { message, response } = exchange;
  const { audit, authorizer, clock, random } = server;
  const route = parseRoute(asked.path);
  if (!audit || !route) return undefined;
  const { user } = asked;
  const attributes = attributesOf(asked, route);
  const request = {
    id: random.uuid(),
    uri: message.url ?? "",
    user,
    attributes,
    sourceAddress: message.socket.remoteAddress ?? "",
    userAgent: message.headers["user-agent"],
    receivedMs: clock.nowMs(),
  };
  // Decide now, because the request itself may change the roles.
  const isAsked = authorizer && !isAlmighty(user);
  const decision = isAsked
    ? authorizer.authorize(user, attributes)
    : { isAllowed: true, reason: "" };
  const annotations: { [key: string]: string } = {};
  const annotate: Annotate = (key, value) => {
    annotations[key] = value;
  };
  const note = contain((outcome: Pick<AuditedOutcome, "stage" | "code">) => {
    const atMs = clock.nowMs();
    audit.note(composeAuditEvent(request, { ...decision, ...outcome, annotations, atMs }));
  });
  const complete = (code: number) => note({ stage: "ResponseComplete", code });
  response.once("close", () => complete(response.statusCode));
  if (exchange.upgrading === undefined) return { annotate };
  // A stream can last for days, and may end together with the server, so record its start.
  note({ stage: "RequestReceived" });
  const end: AuditedUpgrade["end"] = (refusal) =>
    complete(refusal?.statusCode ?? SWITCHING_PROTOCOLS);
  return { annotate, upgrade: { end } };
}

const SWITCHING_PROTOCOLS = 101;
