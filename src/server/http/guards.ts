/**
 * The two guards of a server: for the network, with credentials, and for its owner's own socket.
 */
import { X509Certificate } from "node:crypto";
import { formatAddress, parseAddress } from "../../base/address.ts";
import type { User } from "../authorization/user.ts";
import type { TokenVerifier } from "../tokens/verify-token.ts";
import { bearerAuthenticator, type Guard } from "./guard.ts";

export const ADMINISTRATOR: User = {
  name: "tally-admin",
  groups: ["system:masters", "system:authenticated"],
};

/** Host names by which a client on this machine may address the server. */
const LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]", "::1"];
/** Accepts certificates and tokens, and requests without credentials if takesAnonymous is set. */
export function networkGuard(
  tokens: TokenVerifier,
  {
    certificate,
    takesAnonymous,
  }: { readonly certificate: string; readonly takesAnonymous: boolean },
): Guard {
  return {
    hosts: new Set([...LOOPBACK_HOSTS, ...namesIn(certificate)]),
    authenticate: bearerAuthenticator((token) => {
      const verdict = tokens.verify(token);
      return verdict.kind === "user" ? verdict.user : undefined;
    }),
    // False if authorization is off, because then every accepted user may do everything.
    takesAnonymous,
  };
}

/** The names in our certificate: a client that verifies it uses one of them. */
function namesIn(certificate: string): string[] {
  const names = new X509Certificate(certificate).subjectAltName?.split(", ") ?? [];
  return names.flatMap((text) => {
    const [kind = "", ...rest] = text.split(":");
    const name = rest.join(":");
    if (kind === "DNS") return [name.toLowerCase()];
    const address = parseAddress(name);
    return address ? [bracketed(formatAddress(address))] : [];
  });
}

/** For the private socket: only its owner can open it. */
export const OPEN_GUARD: Guard = {
  hosts: new Set(LOOPBACK_HOSTS),
  scheme: "http",
  authenticate: () => ADMINISTRATOR,
};

export function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}
