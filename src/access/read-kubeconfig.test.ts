import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { formatKubeconfig } from "./kubeconfig.ts";
import { chooseAccess } from "./parse-kubeconfig.ts";
import { type KubeconfigPlaces, readKubeconfig } from "./read-kubeconfig.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), "tally-kubeconfig-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function write(file: string, text: string): Promise<string> {
  const whole = path.join(home, file);
  await mkdir(path.dirname(whole), { recursive: true });
  await writeFile(whole, text);
  return whole;
}

const at = (url: string) => formatKubeconfig({ url, ca: "CA", token: "secret" });

function read(places: Partial<KubeconfigPlaces> = {}) {
  const dataDirectory = path.join(home, "data");
  return readKubeconfig({ dataDirectory, home, workingDirectory: home, ...places });
}

test("the first place with a kubeconfig is used", async () => {
  expect(await read()).toBeUndefined();
  await write(".kube/config", at("https://own"));
  expect(await read({ environment: "none" })).toMatchObject({ url: "https://own" });
  await write("data/kubeconfig", at("https://server"));
  expect(await read()).toMatchObject({ url: "https://server", ca: "CA", token: "secret" });
  await write("env", at("https://environment"));
  expect(await read({ environment: "none:env" })).toMatchObject({ url: "https://environment" });
  await write("flag", at("https://flag"));
  expect(await read({ environment: "env", given: "flag" })).toMatchObject({ url: "https://flag" });
  await expect(read({ given: "none" })).rejects.toThrow("none does not exist");
});

const TEXT = `
current-context: one
contexts:
- {name: one, context: {cluster: c, user: u, namespace: ns}}
- {name: two, context: {cluster: d, user: v}}
- {name: three, context: {cluster: c, user: w}}
- {name: four, context: {cluster: none}}
clusters:
- {name: c, cluster: {server: "https://c", certificate-authority: ca.crt, tls-server-name: s}}
- {name: d, cluster: {server: "https://d", insecure-skip-tls-verify: true}}
users:
- {name: u, user: {client-certificate-data: ${base64("CERT")}, client-key: /keys/k}}
- {name: v, user: {tokenFile: token}}
- {name: w, user: {auth-provider: {name: gcp}}}
`;

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

test("the context selects the server and the credentials", () => {
  const texts = [{ directory: "/at", text: TEXT }];
  expect(chooseAccess(texts, undefined)).toEqual({
    url: "https://c",
    namespace: "ns",
    skipsVerification: false,
    serverName: "s",
    ca: { file: "/at/ca.crt" },
    cert: { text: "CERT" },
    key: { file: "/keys/k" },
  });
  expect(chooseAccess(texts, "two")).toEqual({
    url: "https://d",
    namespace: "",
    skipsVerification: true,
    token: { file: "/at/token" },
  });
});

test("if several files contain an entry, the first one counts", () => {
  const first = "clusters:\n- {name: c, cluster: {server: 'https://first'}}\n";
  const texts = [first, TEXT].map((text) => ({ directory: "/at", text }));
  expect(chooseAccess(texts, undefined)).toMatchObject({ url: "https://first", namespace: "ns" });
});

test.each([
  ["five", 'context "five" does not exist'],
  ["four", 'cluster "none" of context "four" has no server'],
  ["three", 'no Auth Provider found for name "gcp"'],
])("context %s: %s", (context, problem) => {
  expect(() => chooseAccess([{ directory: "/", text: TEXT }], context)).toThrow(problem);
});

const config = (cluster: object, user: object) =>
  JSON.stringify({
    "current-context": "x",
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: "https://c", ...cluster } }],
    users: [{ name: "u", user }],
  });

const choose = (cluster: object, user: object) =>
  chooseAccess([{ directory: "/at", text: config(cluster, user) }], undefined);

test("the proxy must have a supported scheme", () => {
  const proxied = { "proxy-url": "socks5://proxy:1080" };
  expect(choose(proxied, {})).toMatchObject({ proxyUrl: "socks5://proxy:1080" });
  expect(() => choose({ "proxy-url": "ftp://proxy" }, {})).toThrow("ftp://proxy is not http");
});

test("impersonation settings are sent as headers", async () => {
  const user = {
    token: "t",
    as: "jane",
    "as-uid": "7",
    "as-groups": ["a", "b"],
    "as-user-extra": { "example.com/x": ["1"] },
  };
  await write("config", config({}, user));
  expect((await read({ given: "config" }))?.headers).toEqual({
    "Impersonate-User": "jane",
    "Impersonate-Uid": "7",
    "Impersonate-Group": ["a", "b"],
    "Impersonate-Extra-example.com%2Fx": ["1"],
  });
  expect(() => choose({}, { "as-groups": ["a"] })).toThrow("without impersonating a user");
});

test("a token file is read when needed, and again after its token was rejected", async () => {
  await write("config", config({}, { token: "old", tokenFile: "token" }));
  await write("token", "one\n");
  const access = await read({ given: "config" });
  expect(access?.token).toBeUndefined();
  const first = await access?.credentials?.current();
  expect(first).toEqual({ token: "one" });
  await write("token", "two");
  expect(await access?.credentials?.current()).toBe(first);
  access?.credentials?.refused(first ?? {});
  expect(await access?.credentials?.current()).toEqual({ token: "two" });
});

test("username and password are sent as basic authentication", async () => {
  await write("config", config({}, { username: "jane", password: "x:y" }));
  const access = await read({ given: "config" });
  expect(access?.headers).toEqual({ Authorization: `Basic ${base64("jane:x:y")}` });
});
