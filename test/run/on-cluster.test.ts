/** `tally run` on another server, which is as good as a cluster, and what comes after it there. */
import { existsSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, type Started, until } from "./tally-run.ts";

let place: Place;
let server: Started | undefined;
beforeEach(() => {
  place = new Place();
});
afterEach(async () => {
  // What it has started ends with it.
  server?.process.kill("SIGTERM");
  await server?.ended;
  server = undefined;
  place.dispose();
});

const CLUSTER = ["--kubeconfig", "server/kubeconfig"];

async function startServer(): Promise<void> {
  const up = place.start(["up", "--data", "server", "--port", "0", "--on-exit=terminate"]);
  server = up;
  await until(() => up.out().includes("Tally is ready"));
}

test("a run goes there as it goes here, and its failures are run again", {
  timeout: 60_000,
}, async () => {
  await startServer();
  const script = `echo "eat $ITEM"; [ "$ITEM" != banana ] || [ -e ${place.path("flag")} ]`;
  const run = ["run", "fruits", ...CLUSTER, "--image", "busybox", "--retries", "0", "-j", "3"];
  const first = await place.run([...run, "--", "sh", "-c", script, ":::", "apple", "banana"]);
  expect(first.error).toContain("a Tally server manages it");
  expect(first.error).toContain("banana (index 1): exit 1, log pod/fruits-1-");
  expect(first.error).toContain("tally retry fruits --failed --kubeconfig server/kubeconfig");
  expect([first.code, first.out.split("\n").toSorted()]).toEqual([
    1,
    ["", "eat apple", "eat banana"],
  ]);
  expect(existsSync(place.path(".tally"))).toBe(false);

  const status = await place.run(["status", "fruits", "-o", "json", ...CLUSTER]);
  expect(JSON.parse(status.out)).toMatchObject({ state: "Failed", failures: [{ item: "banana" }] });
  expect((await place.run(["wait", "fruits", ...CLUSTER])).code).toBe(3);
  const logs = await place.run(["logs", "fruits", "banana", ...CLUSTER]);
  expect(logs.out).toBe("eat banana\n");

  await place.run(["run", "--", "touch", place.path("flag")]);
  const again = await place.run(["retry", "fruits", ...CLUSTER]);
  expect([again.code, again.out]).toEqual([0, "eat banana\n"]);
  const results = await place.run(["results", "fruits", ...CLUSTER]);
  expect(results.out).toMatch(/^banana,1,Succeeded,2,0,/m);
  const list = await place.run(["list", "-o", "name", ...CLUSTER]);
  expect(list.out).toBe("fruits\n");
});

test.each([
  [["--image", "i", "--nice", "3"], "--nice is for runs on this machine"],
  [["--image", "i", "--data", "x"], "--data is for runs on this machine"],
  [["--image", "i", "-j", "200%"], "-j must be a number"],
  [["--image", "i", "--workdir", "here"], "--workdir must be a path of the image"],
  [[], "needs --image"],
])("what means nothing on a cluster is refused by name: %s", async (flags, text) => {
  const { code, error } = await place.run(["run", "x", ...CLUSTER, ...flags, "--", "true"]);
  expect([code, error]).toEqual([2, expect.stringContaining(text)]);
});

test("a cluster that is not there is said at once", async () => {
  const nowhere = "http://127.0.0.1:9";
  const cluster = { name: "c", cluster: { server: nowhere } };
  const context = { name: "x", context: { cluster: "c", user: "u" } };
  const config = { clusters: [cluster], contexts: [context], users: [{ name: "u", user: {} }] };
  writeFileSync(place.path("config"), JSON.stringify({ ...config, "current-context": "x" }));
  const flags = ["--kubeconfig", "config"];
  const run = await place.run(["run", "x", ...flags, "--image", "i", "--", "true"]);
  expect([run.code, run.error]).toEqual([125, expect.stringContaining(nowhere)]);
  expect((await place.run(["status", ...flags])).code).toBe(1);
});
