/** Who may talk to the server at all: the Host and Origin a request names, and its credentials. */
import { ApiError, unauthorized } from "../../api/errors.ts";
import { ANONYMOUS, type User } from "../authorization/user.ts";

export interface Guard {
  /** Host names clients may use, without port: a page on another name is not our client. */
  readonly hosts: ReadonlySet<string>;
  /** What pages of the server itself begin with; "https" if absent. */
  readonly scheme?: "http" | "https";
  readonly authenticate: (credentials: Credentials) => User | undefined;
  /** Whoever shows no credentials is somebody, too; absent: on the public paths only. */
  readonly takesAnonymous?: boolean;
}

export interface Credentials {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  /** Where a browser says the request comes from; other clients say nothing. */
  readonly fetchSite?: string | undefined;
  /** Whom a certificate of our own authority names. */
  readonly certificate?: User | undefined;
  /** A certificate was shown that our authority did not sign, or that is over. */
  readonly hasForeignCertificate?: boolean;
}

/** What Kubernetes grants to everyone. */
const PUBLIC_PATHS = /^\/(?:healthz|livez|readyz|version)\/?$/;

export function admitCaller(guard: Guard, path: string, credentials: Credentials): User {
  refuseForeignPages(guard, credentials);
  const user = guard.authenticate(credentials);
  if (user) return user;
  const { authorization = "", hasForeignCertificate } = credentials;
  const showsNothing = authorization === "" && !hasForeignCertificate;
  if (showsNothing && (guard.takesAnonymous || PUBLIC_PATHS.test(path))) return ANONYMOUS;
  throw unauthorized();
}

/** Accepts certificates, then "Bearer TOKEN"; the verifier decides whose token it is. */
export function bearerAuthenticator(
  findUser: (token: string) => User | undefined,
): Guard["authenticate"] {
  return ({ authorization, certificate }) => {
    if (certificate) return certificate;
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    return token === undefined ? undefined : findUser(token);
  };
}

/** Against DNS rebinding and cross-site requests: a browser cannot forge either header. */
function refuseForeignPages(guard: Guard, { host, origin, fetchSite }: Credentials): void {
  if (host === undefined || !guard.hosts.has(hostName(host))) {
    throw new ApiError(
      403,
      "Forbidden",
      `the host ${JSON.stringify(host ?? "")} is not served here`,
    );
  }
  // A picture, a link or a script of another page: a browser names no origin for these.
  if (fetchSite === "cross-site" || fetchSite === "same-site") {
    throw new ApiError(403, "Forbidden", "requests from pages of other sites are not allowed");
  }
  if (origin === undefined) return;
  // The port belongs to it: another program of this machine may serve pages on another port.
  const own = `${guard.scheme ?? "https"}://${host}`;
  if (canonical(origin) === undefined || canonical(origin) !== canonical(own)) {
    throw new ApiError(403, "Forbidden", `requests from ${JSON.stringify(origin)} are not allowed`);
  }
}

/** Scheme, name and port, the usual port left out; undefined for anything else. */
function canonical(origin: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\]+$/i.test(origin) || !URL.canParse(origin)) return undefined;
  return new URL(origin).origin;
}

function hostName(host: string): string {
  const name = host.startsWith("[") ? host.replace(/\]:\d+$/, "]") : host.replace(/:\d+$/, "");
  return name.toLowerCase().replace(/\.$/, "");
}
