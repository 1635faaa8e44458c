/**
 * Issues X.509 certificates (RFC 5280) with P-256 keys: our own authority and the certificates it
 * signs. Node can read certificates but not create them; this is the missing half, for one
 * algorithm.
 */
import { createHash, createPublicKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { parseAddress } from "../base/address.ts";
import {
  bitString,
  boolean,
  type Der,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from "./der.ts";

/** PEM texts. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

export interface Validity {
  readonly from: Date;
  readonly to: Date;
}

export function issueAuthority(commonName: string, validity: Validity): Identity {
  const own = newKey();
  const name = distinguishedName(commonName);
  const extensions = [
    extension(OID.basicConstraints, sequence(boolean(true), NO_FURTHER_AUTHORITIES), "critical"),
    extension(OID.keyUsage, keyUsage("keyCertSign", "cRLSign"), "critical"),
    extension(OID.subjectKeyIdentifier, octetString(own.identifier)),
  ];
  const subject = { issuer: name, subject: name, publicKey: own.publicKey, validity, extensions };
  return { cert: signCertificate(subject, own.privateKey), key: own.privateKey };
}

export interface ServerRequest {
  readonly commonName: string;
  /** DNS names and IP addresses. */
  readonly names: readonly string[];
  readonly validity: Validity;
}

export function issueServer(
  authority: { readonly commonName: string; readonly key: string },
  { commonName, names, validity }: ServerRequest,
): Identity {
  const alternatives = sequence(...names.map(generalName));
  return issue(authority, {
    subject: distinguishedName(commonName),
    // The server also uses it as a client certificate when it connects to its nodes.
    usages: [OID.serverAuth, OID.clientAuth],
    further: [extension(OID.subjectAlternativeName, alternatives)],
    validity,
  });
}

export interface ClientRequest {
  /** The user name. */
  readonly commonName: string;
  /** The groups of the user. */
  readonly organizations: readonly string[];
  readonly validity: Validity;
}

export function issueClient(
  authority: { readonly commonName: string; readonly key: string },
  { commonName, organizations, validity }: ClientRequest,
): Identity {
  const subject = distinguishedName(commonName, organizations);
  return issue(authority, { subject, usages: [OID.clientAuth], further: [], validity });
}

interface Issue {
  readonly subject: ReturnType<typeof distinguishedName>;
  readonly usages: readonly string[];
  readonly further: readonly ReturnType<typeof extension>[];
  readonly validity: Validity;
}

function issue(
  authority: { readonly commonName: string; readonly key: string },
  { subject, usages, further, validity }: Issue,
): Identity {
  const own = newKey();
  const issuerIdentifier = keyIdentifier(publicKeyOf(authority.key));
  const extensions = [
    extension(OID.basicConstraints, sequence(), "critical"),
    extension(OID.keyUsage, keyUsage("digitalSignature"), "critical"),
    extension(OID.extendedKeyUsage, sequence(...usages.map(objectIdentifier))),
    extension(OID.subjectKeyIdentifier, octetString(own.identifier)),
    extension(OID.authorityKeyIdentifier, sequence(implicit(0, issuerIdentifier))),
    ...further,
  ];
  const issuer = distinguishedName(authority.commonName);
  const content = { issuer, subject, publicKey: own.publicKey, validity, extensions };
  return { cert: signCertificate(content, authority.key), key: own.privateKey };
}

const OID = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAlternativeName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
};

/** The path length: the authority signs no further authorities. */
const NO_FURTHER_AUTHORITIES = integer(Uint8Array.of(0));

interface OwnKey {
  /** PKCS #8 PEM. */
  readonly privateKey: string;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Der;
  readonly identifier: Uint8Array;
}

function newKey(): OwnKey {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const publicKey = pair.publicKey.export({ type: "spki", format: "der" });
  const privateKey = pair.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  return { privateKey, publicKey, identifier: keyIdentifier(publicKey) };
}

/** RFC 7093, method 1: the SHA-256 hash of the key's bits, truncated to 160 bits. */
function keyIdentifier(publicKey: Der): Uint8Array {
  return createHash("sha256").update(publicKey.subarray(-POINT_BYTES)).digest().subarray(0, 20);
}

/** The size of an uncompressed P-256 point, with which the SubjectPublicKeyInfo ends. */
const POINT_BYTES = 65;

function publicKeyOf(privateKey: string): Der {
  return createPublicKey(privateKey).export({ type: "spki", format: "der" });
}

interface Unsigned {
  readonly issuer: Der;
  readonly subject: Der;
  readonly publicKey: Der;
  readonly validity: Validity;
  readonly extensions: readonly Der[];
}

function signCertificate(unsigned: Unsigned, issuerKey: string): string {
  const algorithm = sequence(objectIdentifier(OID.ecdsaWithSha256));
  const body = sequence(
    explicit(0, integer(Uint8Array.of(VERSION_3))),
    integer(serialNumber()),
    algorithm,
    unsigned.issuer,
    sequence(time(unsigned.validity.from), time(unsigned.validity.to)),
    unsigned.subject,
    unsigned.publicKey,
    explicit(3, sequence(...unsigned.extensions)),
  );
  const signature = sign("sha256", body, issuerKey);
  return formatPem(sequence(body, algorithm, bitString(signature)));
}

/** Version numbers count from zero. */
const VERSION_3 = 2;

/** Sixteen random bytes; the first is neither zero nor negative. */
function serialNumber(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function distinguishedName(commonName: string, organizations: readonly string[] = []): Der {
  const part = (oid: string, text: string) =>
    set(sequence(objectIdentifier(oid), utf8String(text)));
  return sequence(
    ...organizations.map((name) => part(OID.organization, name)),
    part(OID.commonName, commonName),
  );
}

function extension(oid: string, value: Der, critical?: "critical"): Der {
  const flag = critical ? [boolean(true)] : [];
  return sequence(objectIdentifier(oid), ...flag, octetString(value));
}

/** Positions in the bit string of RFC 5280, 4.2.1.3. */
const USAGE_BITS = { digitalSignature: 0, keyCertSign: 5, cRLSign: 6 };

function keyUsage(...usages: readonly (keyof typeof USAGE_BITS)[]): Der {
  const positions = usages.map((usage) => USAGE_BITS[usage]);
  const byte = positions.reduce((bits, position) => bits | (0x80 >> position), 0);
  return bitString(Uint8Array.of(byte), 7 - Math.max(...positions));
}

function generalName(name: string): Der {
  const address = parseAddress(name);
  if (address) return implicit(7, Uint8Array.from(address));
  return implicit(2, new TextEncoder().encode(name));
}

function formatPem(der: Der): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
