/**
 * The small files of a server, each truncated as a crash of the machine or a backup may leave it:
 * the server must find the file usable, recreate it, or report what is wrong.
 */
import { createHash, createPrivateKey, X509Certificate } from "node:crypto";
import { mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureCertificates, serverNames } from "../../src/access/certificates.ts";
import { readKubeconfig } from "../../src/access/read-kubeconfig.ts";
import { storedSigningKey } from "../../src/access/signing-key.ts";
import { ensureToken } from "../../src/access/token.ts";
import { writeKubeconfig } from "../../src/access/write-kubeconfig.ts";
import { systemClock } from "../../src/base/clock.ts";
import { openStore } from "../../src/store/open.ts";
import { aSample, keyOf } from "./objects.ts";

/** Opens the files in the directory, creates missing ones, and returns what was found. */
type Open = (directory: string) => Promise<string>;

const ACCESS = { url: "https://127.0.0.1:6443", ca: "an authority", token: "a token" };

export const FILES: { readonly [file: string]: Open } = {
  "pki/ca.crt": openCertificates,
  "pki/ca.key": openCertificates,
  "pki/server.crt": openCertificates,
  "pki/server.key": openCertificates,
  token: (directory) => ensureToken(join(directory, "token")),
  "service-accounts.key": async (directory) =>
    storedSigningKey(join(directory, "service-accounts.key")).keyId,
  kubeconfig: async (directory) => {
    const file = join(directory, "kubeconfig");
    await writeKubeconfig(file, ACCESS);
    const places = { dataDirectory: directory, home: directory, workingDirectory: directory };
    return JSON.stringify(await readKubeconfig({ given: file, ...places }));
  },
  "store/data.mdb": openObjects,
};

export interface TornReport {
  readonly size: number;
  readonly isAsBefore: number;
  readonly isMadeAnew: number;
  readonly isRefused: number;
  readonly problems: readonly string[];
}

/** In the first bytes every position is tried; the rest of a large file is sampled. */
const FIRST_BYTES = 4096;

/** Truncates the file at every multiple of `every`, and in larger steps if it is long. */
export async function tear(file: string, every: number): Promise<TornReport> {
  const open = FILES[file];
  if (!open) throw new Error(`no such file: ${file}`);
  const directory = await mkdtemp(join(tmpdir(), "tally-torn-"));
  const path = join(directory, file);
  const counts = { isAsBefore: 0, isMadeAnew: 0, isRefused: 0 };
  const problems: string[] = [];
  try {
    const before = await open(directory);
    const whole = await readFile(path);
    const next = (length: number) => length + (length < FIRST_BYTES ? every : every * 1021);
    for (let length = 0; length < whole.length; length = next(length)) {
      await writeFile(path, whole);
      await truncate(path, length);
      const found = await open(directory).catch((error: Error) => error);
      if (found instanceof Error) {
        counts.isRefused++;
        if (!found.message.includes(path)) problems.push(`${length}: ${found.message}`);
        continue;
      }
      if (found === before) counts.isAsBefore++;
      else counts.isMadeAnew++;
      // A recreated file must not be recreated again.
      const again = await open(directory);
      if (again !== found) problems.push(`${length}: ${found}, then ${again}`);
    }
    return { size: whole.length, ...counts, problems };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function openObjects(directory: string): Promise<string> {
  const store = await openStore({ dataDir: directory });
  try {
    for (let count = store.count("configmaps"); count < OBJECTS; count++) {
      store.create(keyOf(`n${count}`), aSample(keyOf(`n${count}`), "x".repeat(5000)));
    }
    await store.durable(store.revision);
    return createHash("sha256")
      .update(JSON.stringify(store.list("configmaps").items))
      .digest("hex");
  } finally {
    await store.close();
  }
}

const OBJECTS = 100;

async function openCertificates(directory: string): Promise<string> {
  const request = { directory: join(directory, "pki"), names: serverNames([]), clock: systemClock };
  const { ca, cert, key } = await ensureCertificates(request);
  const [authority, server] = [new X509Certificate(ca), new X509Certificate(cert)];
  const isWhole =
    server.verify(authority.publicKey) && server.checkPrivateKey(createPrivateKey(key));
  if (!isWhole) return "certificates that do not belong together";
  return createHash("sha256").update(ca).update(cert).digest("hex");
}
