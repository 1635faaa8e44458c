/** Watches one exchange from its request to its end, for the audit log. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isAlmighty, type User } from "../authorization/user.ts";
import { composeAuditEvent } from "./audit.ts";
import { type Asked, attributesOf } from "./authorize.ts";
import type { ApiServer } from "./request.ts";
import { parseRoute } from "./route.ts";

export function noteRequest(
  server: ApiServer,
  { message, response }: { readonly message: IncomingMessage; readonly response: ServerResponse },
  asked: Asked & { readonly user: User },
): void {
  const { audit, authorizer, clock, random } = server;
  const route = parseRoute(asked.path);
  if (!audit || !route) return;
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
  // As it was when the request came: what it did may have changed it.
  const isAsked = authorizer && !isAlmighty(user);
  const decision = isAsked
    ? authorizer.authorize(user, attributes)
    : { isAllowed: true, reason: "" };
  response.once("close", () => {
    const { statusCode: code } = response;
    const stage = "ResponseComplete";
    const outcome = { ...decision, stage, code, atMs: clock.nowMs() } as const;
    audit.note(composeAuditEvent(request, outcome));
  });
}
