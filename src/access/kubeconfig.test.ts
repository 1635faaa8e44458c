import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { findUserKubeconfig, mergeKubeconfig } from "./merge-kubeconfig.ts";
import { writePrivateFile } from "./private-file.ts";
import { writeKubeconfig } from "./write-kubeconfig.ts";

const ours = { url: "https://127.0.0.1:6443", ca: "PEM\n", token: "secret" };
const cluster = {
  name: "tally",
  cluster: { "certificate-authority-data": "UEVNCg==", server: "https://127.0.0.1:6443" },
};
const user = { name: "tally-admin", user: { token: "secret" } };
const context = { name: "tally", context: { cluster: "tally", user: "tally-admin" } };

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "tally-kubeconfig-"));
  file = join(directory, "config");
});
afterEach(() => rm(directory, { recursive: true }));

test("our own file contains one cluster, one user and their context", async () => {
  await writeKubeconfig(join(directory, "new", "kubeconfig"), ours);
  const text = await readFile(join(directory, "new", "kubeconfig"), "utf8");
  expect(parse(text)).toEqual({
    apiVersion: "v1",
    kind: "Config",
    clusters: [cluster],
    users: [user],
    contexts: [context],
    "current-context": "tally",
  });
});

test("only the owner can read our own file, and the next start replaces it", async () => {
  await writeKubeconfig(file, ours);
  await writeKubeconfig(file, { ...ours, url: "https://127.0.0.1:7000" });
  expect(parse(await readFile(file, "utf8")).clusters[0].cluster.server).toMatch("7000");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(directory)).toEqual(["config"]);
});

test("an unchanged file of ours is not rewritten, but made private again", async () => {
  await writeKubeconfig(file, ours);
  await chmod(file, 0o644);
  const before = await stat(file);
  await writeKubeconfig(file, ours);
  const after = await stat(file);
  expect([after.ino, after.mode & 0o777]).toEqual([before.ino, 0o600]);
});

test("the error for a file that cannot be written contains its path", async () => {
  await mkdir(file);
  await writeFile(join(file, "in-the-way"), "");
  await expect(writePrivateFile(file, "x")).rejects.toThrow(`${file} cannot be written: E`);
  expect(await readdir(directory)).toEqual(["config"]);
});

test("if the user added entries to our own file, they are kept", async () => {
  await writeFile(file, USERS_OWN, { mode: 0o640 });
  await writeKubeconfig(file, ours);
  expect((await stat(file)).mode & 0o777).toBe(0o640);
  const names = (list: { name: string }[]) => list.map(({ name }) => name);
  const merged = parse(await readFile(file, "utf8"));
  expect([names(merged.clusters), names(merged.users)]).toEqual([
    ["prod", "tally"],
    ["me", "tally-admin"],
  ]);
});

const USERS_OWN = `# my clusters
apiVersion: v1
kind: Config
preferences: {}
clusters:
- name: prod # keep
  cluster:
    server: https://prod.example.com:6443
users:
- name: me
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: login
      args: ["--a-long-argument-that-must-not-be-folded", "--another-one=of-considerable-length"]
contexts:
- name: prod
  context: {cluster: prod, user: me, namespace: web}
current-context: prod
extensions: [{name: mine, extension: 1}]
`;

test("merging adds our entries and keeps every line of the user's file", async () => {
  await writeFile(file, USERS_OWN, { mode: 0o640 });
  await mergeKubeconfig(file, ours);
  const text = await readFile(file, "utf8");
  const before = parse(USERS_OWN);
  expect(parse(text)).toEqual({
    ...before,
    clusters: [...before.clusters, cluster],
    users: [...before.users, user],
    contexts: [...before.contexts, context],
    "current-context": "tally",
  });
  const kept = [
    "# my clusters",
    "- name: prod # keep",
    "    server: https://prod.example.com:6443",
  ];
  expect(text.split("\n")).toEqual(expect.arrayContaining(kept));
  expect((await stat(file)).mode & 0o777).toBe(0o640);
  expect(await readdir(directory)).toEqual(["config"]);
});

test("merging again changes only different values and keeps the chosen namespace", async () => {
  await writeFile(file, USERS_OWN);
  await mergeKubeconfig(file, ours);
  const once = await readFile(file, "utf8");
  await mergeKubeconfig(file, ours);
  expect(await readFile(file, "utf8")).toBe(once);

  await writeFile(
    file,
    once.replace("user: tally-admin", "user: tally-admin\n    namespace: batch"),
  );
  await mergeKubeconfig(file, { ...ours, url: "https://127.0.0.1:7000", token: "newer" });
  const expected = parse(once);
  expected.clusters[1].cluster.server = "https://127.0.0.1:7000";
  expected.users[1].user.token = "newer";
  expected.contexts[1].context.namespace = "batch";
  expect(parse(await readFile(file, "utf8"))).toEqual(expected);
});

test.each([
  ["missing", undefined],
  ["empty", "\n"],
  ["only a comment", "# nothing yet\n"],
  ["null lists, as kubectl writes them", "apiVersion: v1\nkind: Config\nclusters: null\nusers:\n"],
  ["JSON", '{"apiVersion":"v1","kind":"Config","clusters":[],"contexts":[],"users":[]}'],
])("a user's file that is %s gets our entries", async (_state, text) => {
  if (text !== undefined) await writeFile(file, text);
  await mergeKubeconfig(file, ours);
  expect(parse(await readFile(file, "utf8"))).toEqual({
    apiVersion: "v1",
    kind: "Config",
    clusters: [cluster],
    users: [user],
    contexts: [context],
    "current-context": "tally",
  });
  if (text === undefined) expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test.each([
  ["not YAML", "clusters: [", "Flow sequence"],
  ["a list", "- a\n- b\n", "it is not a mapping"],
  ["two documents", "kind: Config\n---\nkind: Config\n", "multiple documents"],
  ["of another kind", "apiVersion: v1\nkind: Pod\n", 'kind is "Pod", not "Config"'],
  ["with clusters that are no list", "clusters: {a: 1}\n", "clusters is not a list"],
  ["with a context that is no mapping", "contexts:\n- name: tally\n  context: 3\n", "context"],
])("a user's file that is %s is rejected and unchanged", async (_state, text, problem) => {
  await writeFile(file, text);
  await expect(mergeKubeconfig(file, ours)).rejects.toThrow(
    `${file} is no valid kubeconfig and was not changed: `,
  );
  await expect(mergeKubeconfig(file, ours)).rejects.toThrow(problem);
  expect(await readFile(file, "utf8")).toBe(text);
  expect(await readdir(directory)).toEqual(["config"]);
});

test("a file that kubectl is changing is not modified", async () => {
  await writeFile(file, USERS_OWN);
  await writeFile(`${file}.lock`, "");
  await expect(mergeKubeconfig(file, ours)).rejects.toThrow("is being changed by another program");
  expect(await readFile(file, "utf8")).toBe(USERS_OWN);
  expect(await readdir(directory)).toEqual(["config", "config.lock"]);
});

test("a symbolic link to the file stays a link", async () => {
  const link = join(directory, "link");
  await writeFile(file, USERS_OWN);
  await symlink(file, link);
  await mergeKubeconfig(link, ours);
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(parse(await readFile(file, "utf8"))["current-context"]).toBe("tally");
});

test("the user's file is the one kubectl would change", async () => {
  await writeFile(file, "");
  const none = join(directory, "none");
  const find = (list?: string) =>
    findUserKubeconfig(list === undefined ? {} : { KUBECONFIG: list }, "/home/me");
  expect(await find()).toBe("/home/me/.kube/config");
  expect(await find("")).toBe("/home/me/.kube/config");
  expect(await find(`${none}:${file}`)).toBe(file);
  expect(await find(`${none}:${none}2`)).toBe(`${none}2`);
});
