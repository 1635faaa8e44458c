import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Place, until } from "./tally-run.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.dispose());

const sorted = (text: string) => text.split("\n").filter(Boolean).sort();

test("a list is worked through: what tasks print is printed, stdout and stderr apart", async () => {
  const script = 'echo "out $FRUIT"; echo "err $FRUIT" >&2';
  const list = "--per-completion-env=FRUIT=apple banana cherry";
  const { code, out, error } = await place.run(["run", "fruits", list, "--", "sh", "-c", script]);
  expect(sorted(out)).toEqual(["out apple", "out banana", "out cherry"]);
  for (const fruit of ["apple", "banana", "cherry"]) expect(error).toContain(`err ${fruit}\n`);
  expect(error).toMatch(/^tally: fruits: 3 items, \d+ at a time\n/);
  expect(error).toMatch(/tally: fruits: 3 of 3 succeeded in \d+\.\ds\n$/);
  expect(code).toBe(0);
});

test("the data directory is closed to others, and so is the socket in it", async () => {
  const run = place.start(["run", "w", "--", "sh", "-c", "until [ -e go ]; do sleep 0.1; done"]);
  await until(() => existsSync(place.path(".tally", "tally.sock")));
  const mode = (file: string) => statSync(place.path(file)).mode & 0o777;
  expect([mode(".tally"), mode(".tally/tally.sock")]).toEqual([0o700, 0o600]);
  const { out } = await place.run(["get", "jobs", "--no-headers"]);
  expect(out).toMatch(/^w +Running +0\/1/);
  writeFileSync(place.path("go"), "");
  expect((await run.ended).code).toBe(0);
  expect(existsSync(place.path(".tally", "tally.sock"))).toBe(false);
  expect(readdirSync(place.path(".tally", "lock"))).toEqual([]);
});

test("failures are tried again, named, summed up and told by the exit code", async () => {
  const script =
    "case $ITEM in b) exit 3;; c) test -e tried || { touch tried; exit 4; };; esac; echo $ITEM";
  const flags = ["-j", "1", "--retries", "1", "--backoff", "10ms"];
  const args = ["run", "abc", ...flags, "--", "sh", "-c", script, ":::", "a", "b", "c"];
  const { code, out, error } = await place.run(args);
  expect(code).toBe(1);
  expect(sorted(out)).toEqual(["a", "c"]);
  expect(error).toContain("tally: c (index 2): exit 4, attempt 1 of 2, retrying\n");
  expect(error).toMatch(
    /tally: b \(index 1\): exit 3, attempt 2 of 2, log \.tally\/logs\/\S+\.log, run again with: /,
  );
  expect(error).toContain("abc: 2 of 3 succeeded, 1 failed, 2 retried in ");
  expect(error).toContain("retry failed items:     tally retry abc --failed\n");
});

test("in the order of the list, if that is asked for", async () => {
  const script = "sleep 0.$((3 - ITEM)); echo $ITEM";
  const args = ["run", "-q", "-j", "3", "--keep-order", "--", "sh", "-c", script, ":::"];
  const { out, error } = await place.run([...args, "0", "1", "2"]);
  expect([out, error]).toEqual(["0\n1\n2\n", ""]);
});

test("as JSON: an object per line, of each item and of the whole", async () => {
  const script = "echo out; echo err >&2; exit $ITEM";
  const flags = ["--output", "json", "--retries", "0", "--keep-order"];
  const { code, out } = await place.run([
    "run",
    "j",
    ...flags,
    "--",
    "sh",
    "-c",
    script,
    ":::",
    "0",
    "7",
  ]);
  const lines = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines[0]).toEqual({ type: "run", name: "j", items: 2, doneBefore: 0 });
  expect(lines.filter(({ type }) => type === "item")).toMatchObject([
    { index: 0, item: "0", attempt: 1, outcome: "Succeeded", stdout: "out\n", stderr: "err\n" },
    { index: 1, item: "7", outcome: "Failed", exitCode: 7, stdout: "out\n" },
  ]);
  expect(lines.at(-1)).toMatchObject({ type: "summary", succeeded: 1, failed: 1, exitCode: 1 });
  expect(code).toBe(1);
});

test("the name of a finished run is taken, and the ways out are named", async () => {
  const args = ["run", "once", "-q", "--", "echo", "{}", ":::", "a"];
  expect((await place.run(args)).code).toBe(0);
  const again = await place.run(args);
  expect([again.code, again.out]).toEqual([2, ""]);
  expect(again.error).toMatch(/the run once is finished; use --resume .* or --replace/);
  const resumed = await place.run([...args.slice(0, 2), "--resume", ...args.slice(2)]);
  expect([resumed.code, resumed.out]).toEqual([0, ""]);
  const replaced = await place.run([...args.slice(0, 2), "--replace", ...args.slice(2)]);
  expect([replaced.code, replaced.out]).toEqual([0, "a\n"]);
});

test.each([
  [["touch", "{FLIE}"], "there is no {FLIE}: did you mean {FILE}?"],
  [["touch", "{}"], "this list has no {}: use {FILE} or {SIZE}"],
  [["touch", "{1}"], "this list has no {1}: use {FILE} or {SIZE}"],
  [["touch", "--in=$FILE"], "write --in={FILE}, or start a shell: sh -c 'touch --in=\"$FILE\"'"],
])("%j is refused before anything runs", async (command, problem) => {
  writeFileSync(place.path("p.csv"), "FILE,SIZE\na b.txt,3\n");
  const { code, out, error } = await place.run(["run", "rows", "--csv", "p.csv", "--", ...command]);
  expect([code, out]).toEqual([2, ""]);
  expect(error).toContain(problem);
  expect(readdirSync(place.directory)).toEqual(["p.csv"]);
});

test("braces and variables of other programs, and all with the check off, are passed", async () => {
  writeFileSync(place.path("p.csv"), "FILE,SIZE\na b.txt,3\n");
  const asked = ["run", "-q", "--csv", "p.csv"];
  const others = ["printf", "%s\\n", "{print}", "{id}", "{{.Id}}", "x{1}", "{FILE}"];
  const passed = await place.run([...asked, "--", ...others]);
  expect(passed.out).toBe("{print}\n{id}\n{{.Id}}\nx{1}\na b.txt\n");
  const script = await place.run([...asked, "--", "sh", "-c", 'echo --in="$FILE"']);
  expect(script.out).toBe("--in=a b.txt\n");
  const unchecked = ["printf", "%s\\n", "{FLIE}", "{}", "--in=$FILE"];
  const off = await place.run([...asked, "--skip-placeholder-check", "--", ...unchecked]);
  expect([off.code, off.out]).toEqual([0, "{FLIE}\n{}\n--in=$FILE\n"]);
});

test("a list that was edited goes on with what is new in it", async () => {
  const args = ["run", "edited", "--resume", "--retries", "0", "-a", "list", "--"];
  const command = ["sh", "-c", 'echo "$ITEM" >> ran; echo "$ITEM"'];
  writeFileSync(place.path("list"), "one\ntwo\nthree\n");
  expect(sorted((await place.run([...args, ...command])).out)).toEqual(["one", "three", "two"]);
  writeFileSync(place.path("list"), "zero\nthree\none\nfour\n");
  const { code, out, error } = await place.run([...args, ...command]);
  expect([code, sorted(out)]).toEqual([0, ["four", "zero"]]);
  expect(error).toContain("2 new in the list");
  expect(error).toContain("1 no longer in the list: two");
});

test("the Job of a manifest runs with what comes with it", async () => {
  const manifest = `
apiVersion: v1
kind: ConfigMap
metadata: { name: words }
data: { greeting: hello }
---
apiVersion: batch/v1
kind: Job
metadata: { name: greet }
spec:
  completions: 2
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: busybox
          command: [sh, -c, 'echo "$WORD $JOB_COMPLETION_INDEX"']
          env:
            - name: WORD
              valueFrom: { configMapKeyRef: { name: words, key: greeting } }
`;
  writeFileSync(place.path("job.yaml"), manifest);
  const { code, out, error } = await place.run(["run", "-f", "job.yaml"]);
  expect([code, sorted(out)]).toEqual([0, ["hello 0", "hello 1"]]);
  expect(error).toContain("greet: 2 of 2 succeeded");
});

test.each([
  [["run"], /nothing|command/],
  [["run", "x", "--", "echo", ":::"], /nothing after/],
  [["run", "-j", "many", "--", "echo", ":::", "a"], /-j/],
  [["run", "name", "echo", "--", "a"], /"--" before the command/],
])("%j is a usage error", async (args, problem) => {
  const { code, error, out } = await place.run(args);
  expect([code, out]).toEqual([2, ""]);
  expect(error).toMatch(problem);
  expect(existsSync(place.path(".tally"))).toBe(false);
});
