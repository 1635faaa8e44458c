/**
 * TLS certificates, by which clients verify the server. token.ts authenticates the administrator to
 * the server, and kubeconfig.ts gives both to kubectl. Everything is stored in files of the data
 * directory that only their owner can read. Nothing here knows about the API or opens a port.
 */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { join } from "node:path";
import { formatAddress, parseAddress } from "../base/address.ts";
import type { Clock } from "../base/clock.ts";
import { ensurePrivateDirectory, readPrivateFile, writePrivateFile } from "./private-file.ts";
import { type Identity, issueAuthority, issueClient, issueServer, type Validity } from "./x509.ts";

const AUTHORITY_NAME = "tally-ca";
const SERVER_NAME = "tally";

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
const SERVER_DAYS = 365;
/** The authority is replaced while it can still outlive the certificates it signs. */
const AUTHORITY_RENEWAL_DAYS = SERVER_DAYS + 30;
const SERVER_RENEWAL_DAYS = 30;
/** Valid from an hour before, for clients whose clock is slow. */
const SKEW_MS = 3_600_000;

export interface Certificates extends Identity {
  readonly ca: string;
}

export interface CertificateRequest {
  readonly directory: string;
  /** DNS names and IP addresses that the certificate must contain. */
  readonly names: readonly string[];
  readonly clock: Clock;
}

/**
 * The certificates in the directory, created on first use. The server's is issued again if it
 * expires soon, lacks a name or was not signed by this authority. The authority is replaced only if
 * it expires soon or its files do not match, because clients hold a copy of it.
 */
export async function ensureCertificates(request: CertificateRequest): Promise<Certificates> {
  const { directory, names, clock } = request;
  await ensurePrivateDirectory(directory);
  const nowMs = clock.nowMs();

  const authorityFiles = join(directory, "ca");
  let authority = await readIdentity(authorityFiles);
  if (authority && !isOurAuthority(authority)) {
    throw new Error(`${authorityFiles}.crt was not made by Tally (move it and its key away)`);
  }
  if (!authority || !isUsableAuthority(authority, nowMs)) {
    authority = issueAuthority(AUTHORITY_NAME, validFor(AUTHORITY_DAYS, nowMs));
    await writeIdentity(authorityFiles, authority);
  }

  const serverFiles = join(directory, "server");
  let server = await readIdentity(serverFiles);
  if (!server || !isUsableServer(server, { authority, names, nowMs })) {
    const issuer = { commonName: AUTHORITY_NAME, key: authority.key };
    const validity = validFor(SERVER_DAYS, nowMs);
    server = issueServer(issuer, { commonName: SERVER_NAME, names, validity });
    await writeIdentity(serverFiles, server);
  }
  return { ca: authority.cert, cert: server.cert, key: server.key };
}

export interface UserRequest {
  readonly directory: string;
  readonly name: string;
  readonly groups: readonly string[];
  readonly days: number;
  readonly clock: Clock;
}

/** A client certificate that authenticates a user. Undefined if there is no authority yet. */
export async function issueUser(request: UserRequest): Promise<Certificates | undefined> {
  const { directory, name, groups, days, clock } = request;
  const authority = await readIdentity(join(directory, "ca"));
  if (!authority) return undefined;
  const issuer = { commonName: AUTHORITY_NAME, key: authority.key };
  const validity = validFor(days, clock.nowMs());
  const own = issueClient(issuer, { commonName: name, organizations: groups, validity });
  return { ca: authority.cert, ...own };
}

/** The names of the API server of a cluster, in addition to the addresses it listens on. */
export function serverNames(reachedBy: readonly string[]): string[] {
  const names = [
    "127.0.0.1",
    "::1",
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    ...reachedBy,
  ];
  return [...new Set(names)];
}

function validFor(days: number, nowMs: number): Validity {
  return { from: new Date(nowMs - SKEW_MS), to: new Date(nowMs + days * DAY_MS) };
}

/** Undefined if the files do not exist, or if certificate and key do not match. */
async function readIdentity(files: string): Promise<Identity | undefined> {
  const [cert, key] = await Promise.all([
    readPrivateFile(`${files}.crt`),
    readPrivateFile(`${files}.key`),
  ]);
  if (cert === undefined || key === undefined) return undefined;
  return isPair(cert, key) ? { cert, key } : undefined;
}

function isPair(cert: string, key: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    // Not PEM, or not a certificate or key: treated like a missing file.
    return false;
  }
}

/** If a crash happens between the two writes, the pair does not match and is issued again. */
async function writeIdentity(files: string, { cert, key }: Identity): Promise<void> {
  await writePrivateFile(`${files}.key`, key);
  await writePrivateFile(`${files}.crt`, cert);
}

/** An authority that the user created must not be replaced. */
function isOurAuthority({ cert }: Identity): boolean {
  const { ca, subject } = new X509Certificate(cert);
  return ca && subject === `CN=${AUTHORITY_NAME}`;
}

function isUsableAuthority({ cert }: Identity, nowMs: number): boolean {
  return isValidFor(new X509Certificate(cert), AUTHORITY_RENEWAL_DAYS, nowMs);
}

/** The server needs it to authenticate to nodes. */
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

interface ServerDemands {
  readonly authority: Identity;
  readonly names: readonly string[];
  readonly nowMs: number;
}

function isUsableServer({ cert }: Identity, { authority, names, nowMs }: ServerDemands): boolean {
  const certificate = new X509Certificate(cert);
  const issuer = new X509Certificate(authority.cert);
  return (
    isValidFor(certificate, SERVER_RENEWAL_DAYS, nowMs) &&
    certificate.checkIssued(issuer) &&
    certificate.verify(issuer.publicKey) &&
    certificate.keyUsage?.includes(CLIENT_AUTH) === true &&
    names.every((name) => isCovered(certificate, name))
  );
}

function isValidFor(certificate: X509Certificate, days: number, nowMs: number): boolean {
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  return from <= nowMs && to >= nowMs + days * DAY_MS;
}

function isCovered(certificate: X509Certificate, name: string): boolean {
  const address = parseAddress(name);
  if (address === undefined) return certificate.checkHost(name) !== undefined;
  return certificate.checkIP(formatAddress(address)) !== undefined;
}
