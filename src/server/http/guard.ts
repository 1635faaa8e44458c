/** Who may talk to the server at all: the Host and Origin a request names, and its credentials. */
import { ApiError, unauthorized } from "../../api/errors.ts";
import type { User } from "./request.ts";

export interface Guard {
  /** Host names clients may use, without port: a page on another name is not our client. */
  readonly hosts: ReadonlySet<string>;
  readonly authenticate: (authorization: string | undefined) => User | undefined;
}

export interface Credentials {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
}

/** What Kubernetes grants to everyone. */
const PUBLIC_PATHS = /^\/(?:healthz|livez|readyz|version)\/?$/;

const ANONYMOUS: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

export function admitCaller(guard: Guard, path: string, credentials: Credentials): User {
  refuseForeignPages(guard, credentials);
  const user = guard.authenticate(credentials.authorization);
  if (user) return user;
  if (credentials.authorization === undefined && PUBLIC_PATHS.test(path)) return ANONYMOUS;
  throw unauthorized();
}

/** Accepts "Bearer TOKEN"; the verifier decides whose token it is. */
export function bearerAuthenticator(
  verify: (token: string) => boolean,
  user: User,
): Guard["authenticate"] {
  return (authorization) => {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    return token !== undefined && verify(token) ? user : undefined;
  };
}

/** Against DNS rebinding and cross-site requests: a browser cannot forge either header. */
function refuseForeignPages(guard: Guard, { host, origin }: Credentials): void {
  if (host === undefined || !guard.hosts.has(hostName(host))) {
    throw new ApiError(
      403,
      "Forbidden",
      `the host ${JSON.stringify(host ?? "")} is not served here`,
    );
  }
  if (origin === undefined) return;
  const name = /^https?:\/\/(.*)$/.exec(origin)?.[1];
  if (name === undefined || !guard.hosts.has(hostName(name))) {
    throw new ApiError(403, "Forbidden", `requests from ${JSON.stringify(origin)} are not allowed`);
  }
}

function hostName(host: string): string {
  const name = host.startsWith("[") ? host.replace(/\]:\d+$/, "]") : host.replace(/:\d+$/, "");
  return name.toLowerCase().replace(/\.$/, "");
}
