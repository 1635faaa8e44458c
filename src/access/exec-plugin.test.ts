import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ManualClock } from "../base/manual-clock.ts";
import { execCredentials } from "./exec-credentials.ts";
import { readExecAnswer, readExecPlugin } from "./exec-plugin.ts";

const V1 = "client.authentication.k8s.io/v1";
const USER = { directory: "/at", entry: {} };
const CLUSTER = { directory: "/at", entry: { server: "https://c", "tls-server-name": "s" } };

const plugin = (exec: object) =>
  readExecPlugin({ apiVersion: V1, interactiveMode: "Never", ...exec }, USER, CLUSTER);

test.each([
  [{ apiVersion: "v1alpha1" }, 'invalid apiVersion "v1alpha1"'],
  [{ command: "" }, "command must be specified"],
  [{ command: "x", interactiveMode: "Sometimes" }, "interactiveMode must be"],
])("the plugin %j is rejected", (exec, problem) => {
  expect(() => plugin(exec)).toThrow(problem);
});

test.each([
  ["aws", "aws"],
  ["bin/login", "/at/bin/login"],
  ["./login", "/at/./login"],
  ["/usr/bin/login", "/usr/bin/login"],
])("the command %s resolves to %s", (command, found) => {
  expect(plugin({ command }).command).toBe(found);
});

const answer = (status: unknown, more: object = {}) =>
  JSON.stringify({ apiVersion: V1, kind: "ExecCredential", status, ...more });

test.each([
  ["nonsense", "is not JSON"],
  [answer({ token: "t" }, { apiVersion: `${V1}beta1` }), "not client.authentication.k8s.io/v1 "],
  [answer(undefined), "didn't return a status field"],
  [answer({}), "didn't return a token or cert/key pair"],
  [answer({ clientKeyData: "k" }), "only certificate or key, not both"],
])("the answer %s is rejected", (text, problem) => {
  expect(() => readExecAnswer(plugin({ command: "x" }), text)).toThrow(problem);
});

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "tally-exec-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A plugin that counts its calls and records its input. */
async function counting(expiresAfterMs: number, clock: ManualClock) {
  const script = path.join(directory, "plugin");
  const expirationTimestamp = new Date(clock.nowMs() + expiresAfterMs).toISOString();
  const text = answer({ token: "$(wc -l < asked)", expirationTimestamp }).replaceAll('"', '\\"');
  const lines = ["#!/bin/sh", `cd ${directory}`, 'echo "$KUBERNETES_EXEC_INFO $WORD" >> asked'];
  await writeFile(script, [...lines, `echo "${text}"`].join("\n"), { mode: 0o755 });
  return execCredentials(
    plugin({ command: script, provideClusterInfo: true, env: [{ name: "WORD", value: "w" }] }),
    { environment: process.env, isInteractive: false, clock },
  );
}

test("a plugin runs once, and again when its credentials expire or are rejected", async () => {
  const clock = new ManualClock();
  const source = await counting(60_000, clock);
  const [first, same] = await Promise.all([source.current(), source.current()]);
  expect(first).toEqual({ token: "1" });
  expect(same).toBe(first);
  const told = await readFile(path.join(directory, "asked"), "utf8");
  const spec = { cluster: CLUSTER.entry, interactive: false };
  expect(told).toBe(`${JSON.stringify({ kind: "ExecCredential", apiVersion: V1, spec })} w\n`);
  source.refused(first);
  expect(await source.current()).toEqual({ token: "2" });
  clock.advance(60_001);
  expect(await source.current()).toEqual({ token: "3" });
});

test("the error for a missing plugin contains its install hint", async () => {
  const missing = plugin({ command: "/none/such", installHint: "Install it with make." });
  const source = execCredentials(missing, { environment: {}, isInteractive: false });
  await expect(source.current()).rejects.toThrow("cannot be run\nInstall it with make.");
});
