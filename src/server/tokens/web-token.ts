/** Pure: formats and parses JSON Web Tokens (RFC 7519), signed with ES256 by a given key. */
import type { Claims } from "./claims.ts";

/** The key that signs tokens. */
export interface TokenSigner {
  readonly keyId: string;
  /** A JSON Web Key, for clients that verify tokens themselves. */
  readonly publicKey: { readonly [field: string]: unknown };
  /** Returns the 64 bytes of an ES256 signature. */
  sign(text: string): Buffer;
  verify(text: string, signature: Buffer): boolean;
}

/** Longer than any token that Tally issues. */
const LONGEST_TOKEN = 16 * 1024;

export function formatToken(claims: Claims, signer: TokenSigner): string {
  const header = { alg: "ES256", kid: signer.keyId };
  const signed = `${encodePart(header)}.${encodePart(claims)}`;
  return `${signed}.${signer.sign(signed).toString("base64url")}`;
}

export interface ParsedToken {
  readonly claims: Claims;
  /** The signed part of the token. */
  readonly signed: string;
  readonly signature: Buffer;
  readonly algorithm: unknown;
}

/** Undefined if the text is not a token of the issuer. The signature is not verified here. */
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
