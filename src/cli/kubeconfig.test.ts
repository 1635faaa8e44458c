import { X509Certificate } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { testMachine } from "../../test/builders/machine.ts";
import { ensureCertificates } from "../access/certificates.ts";
import { readServerMode, storeServerMode } from "../access/server-mode.ts";
import { writeKubeconfig } from "../access/write-kubeconfig.ts";
import { systemClock } from "../base/clock.ts";
import { kubeconfig } from "./kubeconfig.ts";

let data: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "tally-user-"));
});
afterEach(() => rm(data, { recursive: true }));

const flags = { group: ["devs", "ops"], days: "30", trusted: true };

async function startOnce(): Promise<string> {
  const directory = join(data, "pki");
  const { ca } = await ensureCertificates({ directory, names: ["localhost"], clock: systemClock });
  await writeKubeconfig(join(data, "kubeconfig"), { url: "https://127.0.0.1:1", ca, token: "t" });
  return ca;
}

test("a user is who a certificate of the server's authority says, for some days", async () => {
  const ca = await startOnce();
  let out = "";
  const writeOut = (text: string) => {
    out += text;
  };
  await kubeconfig("a: b", { ...flags, data }, testMachine({ writeOut }));
  const { clusters, users, contexts } = parse(out);
  expect(clusters[0].cluster.server).toBe("https://127.0.0.1:1");
  expect(contexts[0].context.user).toBe("a: b");
  const { user } = users[0];
  expect(Object.keys(user)).toEqual(["client-certificate-data", "client-key-data"]);
  const own = new X509Certificate(Buffer.from(user["client-certificate-data"], "base64"));
  expect(own.subject.split("\n")).toEqual(["O=devs", "O=ops", "CN=a: b"]);
  expect(own.verify(new X509Certificate(ca).publicKey)).toBe(true);
  expect(own.keyUsage).toEqual(["1.3.6.1.5.5.7.3.2"]);
  const days = (Date.parse(own.validTo) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(30);
  expect(out).not.toContain("token");
});

test.each([
  ["", flags, "the name of a user must not be empty"],
  ["a", { ...flags, group: [""] }, "--group must name a group"],
  ["a", { ...flags, days: "0" }, "--days must be a number from 1 to 3650"],
  ["a", { ...flags, days: "9999" }, "--days must be a number from 1 to 3650"],
])("%j with %j is called wrongly", async (user, given, problem) => {
  await startOnce();
  await expect(kubeconfig(user, { ...given, data }, testMachine({}))).rejects.toThrow(problem);
});

test("where no server has been there is nobody to know a user", async () => {
  await expect(kubeconfig("a", { ...flags, data }, testMachine({}))).rejects.toThrow(data);
});

const untrusted = { group: ["devs"], days: "30" };

test("a server that is alone admits nobody who is not trusted", async () => {
  await startOnce();
  await expect(kubeconfig("alice", { ...untrusted, data }, testMachine({}))).rejects.toThrow(
    /Start it with tally up --shared .* or add --trusted if alice may act as that user/,
  );
  await kubeconfig("alice", { ...untrusted, trusted: true, data }, testMachine({}));
  await kubeconfig("system:node:worker-1", { ...untrusted, data }, testMachine({}));
  expect(await readServerMode(data)).toEqual({ isShared: false, hasGuests: false });
});

test("a shared server remembers that it has admitted somebody who is not trusted", async () => {
  await startOnce();
  await storeServerMode(data, true);
  await kubeconfig("bob", { ...untrusted, trusted: true, data }, testMachine({}));
  expect(await readServerMode(data)).toEqual({ isShared: true, hasGuests: false });
  await kubeconfig("alice", { ...untrusted, data }, testMachine({}));
  expect(await readServerMode(data)).toEqual({ isShared: true, hasGuests: true });
});

test.each([
  [
    "others can read",
    0o644,
    "tally: others can read the file that this key is written to (mode 0644)",
  ],
  ["the group can read", 0o640, "(mode 0640): close it with chmod 600, or use -o FILE next time"],
  ["only the owner can read", 0o600, ""],
  ["is none", undefined, ""],
])("a file at stdout that %s is warned of", async (_what, mode, warning) => {
  await startOnce();
  let error = "";
  const writeError = (text: string) => {
    error += text;
  };
  const outFileMode = () => mode;
  await kubeconfig("a", { ...flags, data }, testMachine({ writeError, outFileMode }));
  expect(error).toContain(warning);
  expect(error === "").toBe(warning === "");
});
