/** What can be asked of a run later. Tests that only look share one run. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Ended, Place, until } from "./tally-run.ts";

let place: Place;
let ran: Ended;

const SCRIPT =
  'echo "out $ITEM"; echo "err $ITEM" >&2; test "$ITEM" != banana.txt || test -e fixed || exit 3';
const ITEMS = ["apple.txt", "banana.txt", "cherry pie"];

beforeAll(async () => {
  place = new Place();
  ran = await run("fruits");
}, 30_000);
afterAll(() => place.dispose());

function run(name: string): Promise<Ended> {
  const flags = ["-q", "--retries", "1", "--backoff", "10ms"];
  return place.run(["run", name, ...flags, "--", "sh", "-c", SCRIPT, ":::", ...ITEMS]);
}

test("status tells the counts, the failure, its log and how to run it again", async () => {
  expect(ran.code).toBe(1);
  const { code, out } = await place.run(["status", "fruits"]);
  const lines = out.split("\n");
  expect([code, lines[0]]).toEqual([0, "fruits: Failed, 2 of 3 succeeded, 1 failed"]);
  expect(lines[2]).toBe("  banana.txt (index 1): exit 3, attempt 2 of 2");
  const log = lines[3]?.replace("    log ", "") ?? "";
  expect(readFileSync(place.path(log), "utf8")).toBe("err banana.txt\n");
  expect(lines[4]).toBe("    run again with: tally retry fruits --index 1");
});

test("status without a name means the last one, and is an object for programs", async () => {
  const [status] = JSON.parse((await place.run(["status", "-o", "json"])).out);
  expect(status).toMatchObject({ name: "fruits", state: "Failed", succeeded: 2, failed: 1 });
  expect(status.failures).toMatchObject([{ item: "banana.txt", index: 1, exit: 3, attempts: 2 }]);
});

test("list has a line for each run", async () => {
  const { out } = await place.run(["list"]);
  expect(out).toMatch(/^NAME +STATE +DONE +FAILED +AGE +DURATION\nfruits +Failed +2\/3 +1 +\d/);
});

test.each([
  [["1"], "out banana.txt\nerr banana.txt\n"],
  [["cherry pie"], "out cherry pie\nerr cherry pie\n"],
  [["--failed"], "==> banana.txt (index 1) <==\nout banana.txt\nerr banana.txt\n"],
  [["--item", "apple.txt", "--attempt", "1", "-f"], "out apple.txt\nerr apple.txt\n"],
])("logs of %j are there though the pods are gone", async (args, expected) => {
  expect(await place.run(["logs", "fruits", ...args])).toEqual({
    code: 0,
    out: expected,
    error: "",
  });
});

test("results are a row for each item", async () => {
  const { out } = await place.run(["results", "fruits"]);
  const rows = out
    .trim()
    .split("\n")
    .map((line) => line.split(","));
  expect(rows[0]).toEqual(["item", "index", "state", "attempts", "exit", "seconds", "log"]);
  expect(rows.slice(1).map((row) => row.slice(0, 5))).toEqual([
    ["apple.txt", "0", "Succeeded", "1", "0"],
    ["banana.txt", "1", "Failed", "2", "3"],
    ["cherry pie", "2", "Succeeded", "1", "0"],
  ]);
  const json = JSON.parse((await place.run(["results", "fruits", "--format", "json"])).out);
  expect(json[1]).toMatchObject({ item: "banana.txt", state: "Failed", exit: 3 });
  expect(json[1].seconds).toBeGreaterThan(0);
  expect(readFileSync(place.path(json[0].log), "utf8")).toBe("out apple.txt\n");
});

test("the report is a page whose links lead to the logs", async () => {
  expect((await place.run(["report", "fruits", "-o", "page.html"])).out).toBe("page.html\n");
  const page = readFileSync(place.path("page.html"), "utf8");
  const [, log = ""] = /href="([^"]+)"/.exec(page) ?? [];
  expect(readFileSync(place.path(decodeURIComponent(log)), "utf8")).toBe("err banana.txt\n");
  expect(page.match(/<rect class="(ok|no)"[^>]*><title>\w+/g)?.length).toBeGreaterThanOrEqual(4);
});

test("wait ends at once for what is over, and its exit code says how it went", async () => {
  expect(await place.run(["wait", "fruits"])).toEqual({
    code: 3,
    out: "fruits failed\n",
    error: "",
  });
});

test.each([
  [["status", "fruit"], 'error: there is no run "fruit" (did you mean fruits?)\n'],
  [["logs", "x"], 'error: there is no run "x"; there are: fruits\n'],
  [["results", "fruits", "--format", "xml"], "tally results: --format must be csv, json or jsonl"],
  [["logs", "fruits", "banan.txt"], '"banan.txt" (did you mean banana.txt?)\n'],
  [["retry", "fruits", "--index", "9"], "error: there is no index 9: they are 0 to 2\n"],
  [["list", "--data", "none"], 'error: there are no runs in none (start one with "tally run")\n'],
])("%j is answered in a sentence", async (args, text) => {
  const { code, out, error } = await place.run(args);
  expect(error).toContain(text);
  expect([code, out]).toEqual([text.startsWith("tally results") ? 2 : 1, ""]);
});

test("a resume of a finished run says that there is nothing to do, and succeeds", async () => {
  expect(await place.run(["resume", "fruits"])).toEqual({
    code: 0,
    out: "",
    error:
      "the run fruits is finished: there is nothing to resume; " +
      "run what failed with: tally retry fruits\n",
  });
});

test("a finished run goes on with what failed; then it is deleted with list and logs", async () => {
  await place.run(["run", "-q", "--", "touch", "fixed", ":::", "x"]);
  const { code, out } = await place.run(["retry", "fruits", "-q"]);
  expect([code, out]).toEqual([0, "out banana.txt\n"]);
  const { out: results } = await place.run(["results", "fruits"]);
  expect(results).toMatch(/\nbanana\.txt,1,Succeeded,3,0,/);
  expect((await place.run(["wait", "fruits"])).code).toBe(0);
  expect((await place.run(["logs", "fruits", "1", "--attempt", "2"])).out).toContain("err banana");
  expect((await place.run(["prune", "--dry-run"])).out).toBe("No run is old enough to prune.\n");
  const deleted = await place.run(["delete", "fruits"]);
  expect(deleted).toMatchObject({ code: 0, error: "" });
  expect(deleted.out).toMatch(/^fruits deleted, with \d+ log files\n$/);
  const left = readdirSync(place.path(".tally", "logs"));
  expect(left.filter((name) => name.includes("fruits"))).toEqual([]);
  expect((await place.run(["status", "fruits"])).code).toBe(1);
  expect((await place.run(["prune", "--keep", "0"])).out).toMatch(/^removed touch-\w+, ended /);
  expect((await place.run(["list"])).out).toBe("There are no runs.\n");
}, 30_000);

test("while a run goes on it can be looked at, followed and waited for", async () => {
  const script = "echo first; while [ ! -e go ]; do sleep 0.05; done; echo last";
  const going = place.start(["run", "slow", "-q", "--", "sh", "-c", script, ":::", "a"]);
  const status = async () => (await place.run(["status", "slow"])).out;
  await until(() => existsSync(place.path(".tally", "tally.sock")));
  while (!(await status()).includes("1 active"));
  expect(await status()).toMatch(/^slow: Running, 0 of 1 succeeded, 1 active\n/);
  const followed = place.start(["logs", "slow", "a", "-f"]);
  const waiting = place.start(["wait", "slow"]);
  await until(() => followed.out() === "first\n");
  await place.run(["run", "-q", "--data", "other", "--", "touch", "go", ":::", "x"]);
  expect((await going.ended).code).toBe(0);
  expect((await followed.ended).out).toBe("first\nlast\n");
  expect(await waiting.ended).toMatchObject({ code: 0, out: "slow succeeded\n" });
}, 30_000);
