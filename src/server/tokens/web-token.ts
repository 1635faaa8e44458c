/** Pure: a JSON Web Token (RFC 7519) as text, signed with ES256 by a key that is an argument. */
import type { Claims } from "./claims.ts";

/** The key that signs tokens, wherever it is kept. */
export interface TokenSigner {
  readonly keyId: string;
  /** For those who verify tokens themselves: a JSON Web Key. */
  readonly publicKey: { readonly [field: string]: unknown };
  /** The 64 bytes that ES256 has. */
  sign(text: string): Buffer;
  verify(text: string, signature: Buffer): boolean;
}

/** Longer than any we make. */
const LONGEST_TOKEN = 16 * 1024;

export function formatToken(claims: Claims, signer: TokenSigner): string {
  const header = { alg: "ES256", kid: signer.keyId };
  const signed = `${encodePart(header)}.${encodePart(claims)}`;
  return `${signed}.${signer.sign(signed).toString("base64url")}`;
}

export interface ParsedToken {
  readonly claims: Claims;
  /** What the signature is of. */
  readonly signed: string;
  readonly signature: Buffer;
  readonly algorithm: unknown;
}

/** Undefined for what is no token of the issuer; whether it is genuine is not looked at. */
export function parseToken(token: string, issuer: string): ParsedToken | undefined {
  if (token.length > LONGEST_TOKEN) return undefined;
  const [header, claims, signature, ...more] = token.split(".");
  if (!header || !claims || !signature || more.length > 0) return undefined;
  if (!/^[\w-]+$/.test(header + claims + signature)) return undefined;
  const said = decodePart(claims);
  if (said?.["iss"] !== issuer) return undefined;
  return {
    claims: said as unknown as Claims,
    signed: `${header}.${claims}`,
    signature: Buffer.from(signature, "base64url"),
    algorithm: decodePart(header)?.["alg"],
  };
}

function encodePart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decodePart(part: string): { readonly [field: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    const isObject = typeof value === "object" && value !== null;
    return isObject ? (value as { [field: string]: unknown }) : undefined;
  } catch {
    return undefined;
  }
}
