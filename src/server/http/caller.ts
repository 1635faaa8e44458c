/** Who is on the other side of a connection: by certificate, by token, or in somebody's name. */
import type { IncomingMessage } from "node:http";
import { type PeerCertificate, TLSSocket } from "node:tls";
import { AUTHENTICATED, type User } from "../authorization/user.ts";
import { admitCaller, type Guard } from "./guard.ts";
import { impersonate } from "./impersonate.ts";
import type { ApiServer } from "./request.ts";

/** Throws the 401 or 403 of whoever is not let in. */
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

/** Nothing is shown by a client that was asked for a certificate and has none. */
function isForeign(socket: TLSSocket): boolean {
  if (socket.authorized) return false;
  const certificate: PeerCertificate | null = socket.getPeerCertificate();
  return certificate !== null && Object.keys(certificate).length > 0;
}

/** What a connection was found to be stays so. */
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

/** A name that is there twice is a list, whatever the types say. */
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
