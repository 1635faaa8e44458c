import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AgentAtWork } from "../../../test/builders/agent.ts";
import type { Client, IssuedToken } from "../../api/client.ts";
import type { ServiceAccount } from "../../api/generated/core.ts";
import { serviceAccounts } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";

let directory: string;
let work: AgentAtWork;
let issued: string[];
let refusal: Error | undefined;

beforeEach(async () => {
  directory = mkdtempSync(path.join(os.tmpdir(), "tally-accounts-"));
  issued = [];
  refusal = undefined;
  work = await AgentAtWork.start((world) => {
    world.volumes = { directory, certificateAuthority: "CA" };
    world.client = issuing(world.client, world);
  });
  await anAccount("default");
});

afterEach(async () => {
  await work.stop(true);
  rmSync(directory, { recursive: true, force: true });
});

function issuing(client: Client, { server }: AgentAtWork): Client {
  const requestToken = async ({ name }: { readonly name: string }): Promise<IssuedToken> => {
    if (refusal) throw refusal;
    issued.push(name);
    const expirationTimestamp = formatTime(server.clock.nowMs() + 3_600_000);
    return { token: `${name}-${issued.length}`, expirationTimestamp };
  };
  return { ...client, requestToken };
}

async function anAccount(name: string, fields: Partial<ServiceAccount> = {}): Promise<void> {
  const metadata = { namespace: "default", name };
  await work.client.create(serviceAccounts, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata,
    ...fields,
  });
}

async function run(name: string, spec: { readonly [field: string]: string | boolean } = {}) {
  const before = work.runtime.requests.length;
  const uid = await work.create(name, { spec });
  await vi.waitFor(async () => {
    await work.pass(20);
    expect(work.runtime.requests.length).toBeGreaterThan(before);
  }, PATIENCE);
  return { uid, given: work.runtime.requests.at(-1)?.accountDirectory };
}

const PATIENCE = { timeout: 120_000 };

const read = (given: string | undefined, file: string) =>
  readFileSync(path.join(given ?? "/nowhere", file), "utf8");

test("a pod has token, certificate and namespace of its account", async () => {
  const { given } = await run("p");
  const files = ["token", "ca.crt", "namespace"].map((file) => read(given, file));
  expect(files).toEqual(["default-1", "CA", "default"]);
});

test("pods of one account share what they have, those of another do not", async () => {
  await anAccount("other");
  const [one, two] = [await run("p"), await run("q")];
  const three = await run("r", { serviceAccountName: "other" });
  expect(one.given).toBe(two.given);
  expect(read(three.given, "token")).toBe("other-2");
  expect(issued).toEqual(["default", "other"]);
});

test.each([
  ["the pod", true, false],
  ["the account", false, undefined],
  ["the account, which the pod overrules,", false, true],
])("where %s does not want it there is none", async (_, ofAccount, ofPod) => {
  await anAccount("quiet", { automountServiceAccountToken: ofAccount });
  const own = ofPod === undefined ? {} : { automountServiceAccountToken: ofPod };
  const { given } = await run("p", { serviceAccountName: "quiet", ...own });
  expect(given !== undefined).toBe(ofPod === true);
});

test("a token is replaced before it expires, and goes when nobody needs it", async () => {
  const { uid, given } = await run("p");
  await work.pass(0.8 * 3_600_000);
  await vi.waitFor(() => expect(read(given, "token")).toBe("default-2"), PATIENCE);
  await work.end(`${uid}/c/0`);
  await work.pass(0.8 * 3_600_000);
  await vi.waitFor(
    () => expect(readdirSync(path.join(directory, "accounts"))).toEqual([]),
    PATIENCE,
  );
  expect(issued).toHaveLength(2);
});

test("an agent that leaves nothing running leaves no tokens", async () => {
  const { uid } = await run("p");
  await work.end(`${uid}/c/0`);
  await work.stop(false);
  expect(readdirSync(directory)).toEqual([]);
});

test("a pod runs without a token that is not to be had, and that is told", async () => {
  refusal = new Error("no");
  const { given } = await run("p");
  expect(given).toBeUndefined();
  expect(await work.events()).toContain(
    'TokenNotSupplied: the pod has no token of ServiceAccount "default": no',
  );
});
