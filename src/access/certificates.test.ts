import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createServer, type TLSSocket } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../base/clock.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { type Certificates, ensureCertificates, serverNames } from "./certificates.ts";
import { issueAuthority } from "./x509.ts";

const DAY_MS = 86_400_000;
let directory: string;

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), "tally-pki-")), "pki");
});
afterEach(() => rm(join(directory, ".."), { recursive: true }));

function ensure(options: { names?: string[]; clock?: ManualClock } = {}): Promise<Certificates> {
  const { names = serverNames(["127.128.0.1"]), clock = systemClock } = options;
  return ensureCertificates({ directory, names, clock });
}

/** The common name of the accepted server, or the error code of the handshake. */
async function handshake(served: Certificates, trusted: string, servername: string) {
  const server = createServer({ cert: served.cert, key: served.key });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const socket: TLSSocket = connect({ host: "127.0.0.1", port, ca: trusted, servername });
  try {
    await once(socket, "secureConnect");
    return socket.getPeerCertificate().subject.CN;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  } finally {
    socket.destroy();
    server.close();
  }
}

test("a client that trusts the authority accepts the server under its names", async () => {
  const certificates = await ensure();
  for (const name of ["localhost", "kubernetes.default.svc.cluster.local", ""]) {
    expect(await handshake(certificates, certificates.ca, name)).toBe("tally");
  }
});

test("a client rejects the server under another name or with another authority", async () => {
  const certificates = await ensure();
  const other = issueAuthority("tally-ca", { from: new Date(), to: new Date(Date.now() + DAY_MS) });
  expect(await handshake(certificates, certificates.ca, "example.com")).toBe(
    "ERR_TLS_CERT_ALTNAME_INVALID",
  );
  expect(await handshake(certificates, other.cert, "localhost")).not.toBe("tally");
});

test("the certificates have the right usages and names", async () => {
  const { ca, cert } = await ensure();
  const authority = new X509Certificate(ca);
  const server = new X509Certificate(cert);
  expect(authority.ca).toBe(true);
  expect(authority.verify(authority.publicKey)).toBe(true);
  expect(server.ca).toBe(false);
  expect(server.checkIssued(authority)).toBe(true);
  // Node shows the extended key usages here: server, and client towards the nodes.
  expect(server.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]);
  expect(server.subjectAltName).toBe(
    "IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:localhost, DNS:kubernetes, " +
      "DNS:kubernetes.default, DNS:kubernetes.default.svc, " +
      "DNS:kubernetes.default.svc.cluster.local, IP Address:127.128.0.1",
  );
  expect(server.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" });
});

test("only the owner can read keys, even if their modes were changed", async () => {
  await ensure();
  await chmod(join(directory, "ca.key"), 0o644);
  await chmod(directory, 0o755);
  await ensure();
  const modes = ["", "ca.key", "server.key"].map(async (file) => {
    return ((await stat(join(directory, file))).mode & 0o777).toString(8);
  });
  expect(await Promise.all(modes)).toEqual(["700", "600", "600"]);
});

test("a second start keeps both certificates", async () => {
  expect(await ensure()).toEqual(await ensure());
});

test("a server certificate that misses a name is issued again by the same authority", async () => {
  const before = await ensure();
  const after = await ensure({ names: serverNames(["127.128.0.1", "10.1.2.3", "fd00::1", "box"]) });
  expect(after.ca).toBe(before.ca);
  expect(after.cert).not.toBe(before.cert);
  const server = new X509Certificate(after.cert);
  expect(server.checkIP("10.1.2.3")).toBe("10.1.2.3");
  expect(server.checkIP("fd00::1")).toBeDefined();
  expect(server.checkHost("box")).toBe("box");
});

test("a certificate with more names than requested is not issued again", async () => {
  const before = await ensure({ names: serverNames(["10.1.2.3"]) });
  expect((await ensure({ names: serverNames([]) })).cert).toBe(before.cert);
});

test.each([
  [
    "both are kept until 30 days before the server certificate expires",
    334,
    { ca: true, cert: true },
  ],
  ["the server certificate is renewed in its last 30 days", 336, { ca: true, cert: false }],
  [
    "both are renewed if the authority would expire before its server",
    3260,
    { ca: false, cert: false },
  ],
])("after some time %s", async (_behaviour, days, kept) => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const before = await ensure({ clock });
  clock.advance(days * DAY_MS);
  const after = await ensure({ clock });
  expect({ ca: after.ca === before.ca, cert: after.cert === before.cert }).toEqual(kept);
  const server = new X509Certificate(after.cert);
  expect(Date.parse(server.validTo)).toBeGreaterThan(clock.nowMs() + 29 * DAY_MS);
  expect(Date.parse(new X509Certificate(after.ca).validTo)).toBeGreaterThanOrEqual(
    Date.parse(server.validTo),
  );
});

test("a validity beyond 2049 is encoded with four-digit years", () => {
  const validity = { from: new Date("2049-06-01T00:00:00Z"), to: new Date("2051-06-01T00:00:00Z") };
  const { validFrom, validTo } = new X509Certificate(issueAuthority("far", validity).cert);
  expect([validFrom, validTo]).toEqual(["Jun  1 00:00:00 2049 GMT", "Jun  1 00:00:00 2051 GMT"]);
});

test.each(["server.key", "server.crt"])("a damaged %s is replaced", async (file) => {
  const before = await ensure();
  await writeFile(join(directory, file), "spoilt");
  const after = await ensure();
  expect(after.ca).toBe(before.ca);
  expect(await handshake(after, before.ca, "localhost")).toBe("tally");
});

test("an authority and a key that do not match are replaced", async () => {
  const before = await ensure();
  await writeFile(join(directory, "ca.key"), before.key);
  const after = await ensure();
  expect(after.ca).not.toBe(before.ca);
  expect(await handshake(after, after.ca, "localhost")).toBe("tally");
});

test("an authority that Tally did not make is neither used nor replaced", async () => {
  await ensure();
  const foreign = issueAuthority("corporate", {
    from: new Date(),
    to: new Date(Date.now() + 900 * DAY_MS),
  });
  await writeFile(join(directory, "ca.crt"), foreign.cert);
  await writeFile(join(directory, "ca.key"), foreign.key);
  await expect(ensure()).rejects.toThrow("ca.crt was not made by Tally");
  expect(await readFile(join(directory, "ca.crt"), "utf8")).toBe(foreign.cert);
});
