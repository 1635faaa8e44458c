/** The two doors of a server: the network, where all show who they are, and its owner's own. */
import { X509Certificate } from "node:crypto";
import { formatAddress, parseAddress } from "../../base/address.ts";
import type { User } from "../authorization/user.ts";
import type { TokenVerifier } from "../tokens/verify-token.ts";
import { bearerAuthenticator, type Guard } from "./guard.ts";

export const ADMINISTRATOR: User = {
  name: "tally-admin",
  groups: ["system:masters", "system:authenticated"],
};

/** Names a client on this machine may call the server by. */
const LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]", "::1"];
/** With a certificate, with a token, or with nothing where that is somebody, too. */
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
    // Where everything is allowed, it is to those who are known.
    takesAnonymous,
  };
}

/** A client that trusts our certificate calls us by a name that is in it. */
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

/** Whoever can open it is its owner. */
export const OPEN_GUARD: Guard = {
  hosts: new Set(LOOPBACK_HOSTS),
  scheme: "http",
  authenticate: () => ADMINISTRATOR,
};

export function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}
