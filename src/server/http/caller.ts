/** The user of a request: from a client certificate, a token, or impersonation. */
import type { IncomingMessage } from "node:http";
import { type PeerCertificate, TLSSocket } from "node:tls";
import { AUTHENTICATED, type User } from "../authorization/user.ts";
import { admitCaller, type Guard } from "./guard.ts";
import { impersonate } from "./impersonate.ts";
import type { ApiServer } from "./request.ts";

/** Throws a 401 or 403 error if the caller is not accepted. */
export function findCaller(
  server: Pick<ApiServer, "authorizer">,
  guard: Guard,
  message: IncomingMessage,
  path: string,
): User {
  const { headers, socket } = message;
  const user = admitCaller(guard, path, {
    host: headers.host,
    origin: headers.origin,
    authorization: headers.authorization,
    fetchSite: headers["sec-fetch-site"],
    ...(socket instanceof TLSSocket && {
      certificate: certificateUser(socket),
      hasForeignCertificate: isForeign(socket),
    }),
  });
  return impersonate(server, user, message);
}

/** Whether the client sent a certificate that is not valid. Without one the object is empty. */
function isForeign(socket: TLSSocket): boolean {
  if (socket.authorized) return false;
  const certificate: PeerCertificate | null = socket.getPeerCertificate();
  return certificate !== null && Object.keys(certificate).length > 0;
}

/** The user of a connection never changes, so it is computed once. */
const known = new WeakMap<TLSSocket, User>();

function certificateUser(socket: TLSSocket): User | undefined {
  if (!socket.authorized) return undefined;
  const before = known.get(socket);
  if (before) return before;
  const { subject, fingerprint256 } = socket.getPeerCertificate();
  const name = first(subject?.CN);
  if (name === undefined || name === "") return undefined;
  const user: User = {
    name,
    groups: [...all(subject.O), AUTHENTICATED],
    extra: { "authentication.kubernetes.io/credential-id": [credentialId(fingerprint256)] },
  };
  known.set(socket, user);
  return user;
}

/** If the name occurs twice, the value is an array, despite its declared type. */
function all(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === "string" ? [value] : value;
}

function first(value: string | readonly string[] | undefined): string | undefined {
  return all(value)[0];
}

function credentialId(fingerprint: string): string {
  return `X509SHA256=${fingerprint.replaceAll(":", "").toLowerCase()}`;
}
