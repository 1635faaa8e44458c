/** Hooks that run while the server is killed run only once, and their pods continue. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster, script, stateOf, until } from "./cluster.ts";

const LOOP = "while :; do sleep 0.05; done";
let cluster: Cluster;
let directory: string;
const file = (name: string) => path.join(directory, name);
const textOf = (name: string) => readFileSync(file(name), "utf8");

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "tally-hooks-"));
  cluster = await Cluster.start();
  const deaf = `trap 'exit 7' TERM; ${LOOP}`;
  const farewell = `trap 'cp ${file("ends")} ${file("signalled")}; exit 0' TERM; ${LOOP}`;
  await create("lasts", LOOP, { postStart: hook("lasts", 0) });
  await create("fails", deaf, { postStart: hook("fails", 1) });
  await create("ends", farewell, { preStop: hook("ends", 0) });
  await cluster.podThat("ends", (each) => stateOf(each)?.running !== undefined);
  await cluster.deletePod("ends", 60);
  await until(() => ["lasts", "fails", "ends"].every((name) => existsSync(file(name))));
  await cluster.tally.kill();
  await cluster.startAgain();
  await cluster.createPod("go", { containers: [script(`touch ${file("go")}`)] });
});

afterAll(async () => {
  await cluster.dispose();
  rmSync(directory, { recursive: true, force: true });
});

function create(name: string, text: string, lifecycle: object): Promise<void> {
  return cluster.createPod(name, { containers: [script(text, { lifecycle })] });
}

/** Records that it started, and ends when the test creates the file "go". */
function hook(name: string, exitCode: number) {
  const text = `echo began >> ${file(name)}; until [ -e ${file("go")} ]; do sleep 0.05; done`;
  return { exec: { command: ["sh", "-c", `${text}; exit ${exitCode}`] } };
}

test("a running postStart hook is recovered, and then its container is running", async () => {
  const pod = await cluster.podThat("lasts", (each) => stateOf(each)?.running !== undefined);
  expect(pod.status.containerStatuses?.[0]?.restartCount).toBe(0);
  expect(textOf("lasts")).toBe("began\n");
});

test("a recovered postStart hook that fails ends its container", async () => {
  const pod = await cluster.over("fails");
  expect(stateOf(pod)?.terminated?.exitCode).toBe(7);
  expect(textOf("fails")).toBe("began\n");
  expect(await cluster.eventsOf("fails")).toContain("FailedPostStartHook: PostStartHook failed");
});

test("the next server also waits for a running preStop hook", async () => {
  await cluster.gone("ends");
  expect(textOf("signalled")).toBe("began\n");
});
