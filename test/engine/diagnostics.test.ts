/**
 * The diagnostics that a server logs, for people who need to know why something does not progress.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster, script } from "../agent/cluster.ts";
import { projectFile } from "../support/project-file.ts";
import { explain, until } from "../support/waits.ts";

let cluster: Cluster;

beforeAll(async () => {
  cluster = await Cluster.start();
});

afterAll(() => cluster.dispose());

type LogRecord = { readonly [field: string]: unknown };

/** The records of one dump. */
async function diagnostics(): Promise<readonly LogRecord[]> {
  const { process: child, log } = cluster.tally;
  const from = log().length;
  child.kill("SIGUSR2");
  await until(() => log().slice(from).includes("diagnostics complete"));
  const lines = log().slice(from).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line)).filter(({ message }) => message === "diagnostics");
}

test("on SIGUSR2 a server logs its agent's pods and the pods without a node", async () => {
  const containers = [script("exec sleep 3600", { env: [{ name: "KEY", value: "hunter2" }] })];
  await cluster.createPod("runs", { containers });
  await cluster.createPod("waits", { containers, nodeSelector: { no: "node" } });
  const { metadata } = await cluster.podThat("runs", ({ status }) => status.phase === "Running");
  const isRefused = (refusal: unknown) => /0\/1 nodes are available/.test(String(refusal));
  await until(async () =>
    (await diagnostics()).some(({ pod, refusal }) => pod === "default/waits" && isRefused(refusal)),
  );
  const records = await diagnostics();
  expect(records.filter(({ section }) => section === "agent")).toMatchObject([
    {
      pod: "default/runs",
      uid: metadata.uid,
      phase: "Running",
      isAdmitted: true,
      containers: { c: { attempt: 0, running: { pid: expect.any(Number) } } },
    },
  ]);
  expect(records.filter(({ section }) => section === "scheduler")).toMatchObject([
    { pod: "default/waits", state: "pending" },
  ]);
  // The environment of pods may contain secrets, and the log of a server has other readers.
  expect(JSON.stringify(records)).not.toContain("hunter2");
  expect((await cluster.tally.call("GET", "/readyz")).text).toBe("ok");
});

test("a pending wait is explained by objects, events, queues and the log", async () => {
  const never = new AbortController();
  const wait = until(() => never.signal.aborted);
  const text = await explain();
  never.abort();
  await wait;
  expect(text).toContain("never.signal.aborted");
  expect(text).toContain(`tally up in ${cluster.tally.dataDir}`);
  expect(text).toContain("/api/v1/pods: ");
  expect(text).toContain("diagnostics complete");
  expect(await explain()).not.toContain("never.signal.aborted");
});

test("a test that times out prints what it waited for", async () => {
  const args = ["run", "--config", "test/engine/hanging/vitest.config.ts"];
  const cwd = projectFile(".");
  const run = promisify(execFile)("node_modules/.bin/vitest", args, { cwd });
  const { stderr } = await run.then(
    () => expect.unreachable("the case is meant to fail"),
    (error: { stderr: string }) => error,
  );
  const [, given = "", polled = ""] = stderr.split(/(?=When "a pod ends|Polled in vain)/);
  expect(given).toMatch(/waiting for \d+ s for: pod stays to be such that/);
  expect(given).toContain('{"kind":"Pod","apiVersion":"v1","metadata":{"name":"stays"');
  for (const text of [given, polled]) {
    expect(text).toMatch(/Normal Pod default\/stays Started/);
    expect(text).toMatch(/"section":"agent".*"pod":"default\/stays"/);
    expect(text).toContain("its log:");
  }
});
