/**
 * Decides whether a request is accepted at all: by its Host and Origin headers and its credentials.
 */
import { ApiError, unauthorized } from "../../api/errors.ts";
import { ANONYMOUS, type User } from "../authorization/user.ts";

export interface Guard {
  /** Host names that clients may use, without port. Others are rejected, against DNS rebinding. */
  readonly hosts: ReadonlySet<string>;
  /** The scheme of pages of the server itself; by default "https". */
  readonly scheme?: "http" | "https";
  readonly authenticate: (credentials: Credentials) => User | undefined;
  /** Accept requests without credentials as anonymous; otherwise only on the public paths. */
  readonly takesAnonymous?: boolean;
}

export interface Credentials {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
  /** The Sec-Fetch-Site header, which only browsers send. */
  readonly fetchSite?: string | undefined;
  /** The user in a certificate signed by our authority. */
  readonly certificate?: User | undefined;
  /** The client sent a certificate that our authority did not sign, or that has expired. */
  readonly hasForeignCertificate?: boolean;
}

/** Paths that Kubernetes serves without credentials. */
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

/** Accepts a certificate, or else "Bearer TOKEN" if findUser knows the token. */
export function bearerAuthenticator(
  findUser: (token: string) => User | undefined,
): Guard["authenticate"] {
  return ({ authorization, certificate }) => {
    if (certificate) return certificate;
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
    return token === undefined ? undefined : findUser(token);
  };
}

/** Against DNS rebinding and cross-site requests: a browser page cannot forge these headers. */
function refuseForeignPages(guard: Guard, { host, origin, fetchSite }: Credentials): void {
  if (host === undefined || !guard.hosts.has(hostName(host))) {
    throw new ApiError(
      403,
      "Forbidden",
      `the host ${JSON.stringify(host ?? "")} is not served here`,
    );
  }
  // For images, links and scripts of another site's page a browser sends no Origin.
  if (fetchSite === "cross-site" || fetchSite === "same-site") {
    throw new ApiError(403, "Forbidden", "requests from pages of other sites are not allowed");
  }
  if (origin === undefined) return;
  // The port is compared too: another program on this machine may serve pages on another port.
  const own = `${guard.scheme ?? "https"}://${host}`;
  if (canonical(origin) === undefined || canonical(origin) !== canonical(own)) {
    throw new ApiError(403, "Forbidden", `requests from ${JSON.stringify(origin)} are not allowed`);
  }
}

/** Scheme, host and port, without the default port; undefined if it is not an origin. */
function canonical(origin: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\]+$/i.test(origin) || !URL.canParse(origin)) return undefined;
  return new URL(origin).origin;
}

function hostName(host: string): string {
  const name = host.startsWith("[") ? host.replace(/\]:\d+$/, "]") : host.replace(/:\d+$/, "");
  return name.toLowerCase().replace(/\.$/, "");
}
