/** Two runs in one directory: each has its own environment, directory, umask and limits. */
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type How, Place, type Started, until } from "./tally-run.ts";

let place: Place;
beforeEach(() => {
  place = new Place();
});
afterEach(() => place.dispose());

/** Runs until the file "over" is there, and says that it has begun. */
const WAITING = 'echo x >> "begun-$NAME"; while ! test -e over; do sleep 0.02; done';

/** A run that is the engine of the directory until `release`. */
async function host(how: How): Promise<Started> {
  const env = { ...how.env, NAME: "host" };
  const args = ["run", "host", "-q", "--", "sh", "-c", WAITING];
  const run = place.start(args, undefined, { ...how, env });
  await until(() => existsSync(place.path("begun-host")));
  return run;
}

const release = () => writeFileSync(place.path("over"), "");
const shell = (script: string) => ["--", "sh", "-c", script];
const lines = (file: string) => readFileSync(place.path(file), "utf8").trim().split("\n").sort();

test("a run has its own variables, whichever run hosts the engine", async () => {
  const first = await host({ env: { FOO: "first", ONLY: "there" } });
  const args = ["run", "b", "-q", ...shell('echo "$FOO $ONLY-"')];
  const { code, out } = await place.run(args, undefined, { env: { FOO: "second" } });
  release();
  expect([code, out]).toEqual([0, "second -\n"]);
  expect((await first.ended).code).toBe(0);
});

test("a run has its own umask and limits, soft and hard", async () => {
  const first = await host({ before: "umask 022; ulimit -S -c 0" });
  const seen = "umask; ulimit -S -n; ulimit -H -n; ulimit -S -c; ulimit -H -c; ulimit -t; > made";
  const before = "umask 0137; ulimit -n 333; ulimit -c 8; ulimit -S -c 4; ulimit -t 1000";
  const args = ["run", "b", "-q", ...shell(seen)];
  const { code, out, error } = await place.run(args, undefined, { before });
  release();
  expect([code, error]).toEqual([0, ""]);
  expect(out.trim().split("\n")).toEqual(["0137", "333", "333", "4", "8", "1000"]);
  expect(statSync(place.path("made")).mode & 0o777).toBe(0o640);
  expect((await first.ended).code).toBe(0);
});

test("an installed program hands on the soft limit of open files, which Node raises", async () => {
  const how = { before: "ulimit -S -n 222", isInstalled: true };
  const args = ["run", "soft", "-q", ...shell("ulimit -S -n; env | grep -c LAUNCH || true")];
  expect((await place.run(args, undefined, how)).out).toBe("222\n0\n");
});

/** Not all machines let root do so. */
const canRaise = spawnSync("sh", ["-c", "ulimit -n 400 && ulimit -H -n 500"]).status === 0;

test("a hard limit that cannot be restored is reported once, and the run goes on", async () => {
  const first = await host({ before: "ulimit -n 400" });
  const limit = spawnSync("sh", ["-c", "ulimit -H -n"], { encoding: "utf8" }).stdout.trim();
  const args = ["run", "b", ...shell("ulimit -H -n"), ":::", "1", "2", "3"];
  const { code, out, error } = await place.run(args);
  const { out: described } = await place.run(["describe", "job", "b"]);
  release();
  expect([code, out]).toEqual([0, `${canRaise ? limit : 400}\n`.repeat(3)]);
  const notices = error.split("\n").filter((line) => line.includes("nofile"));
  expect(notices).toEqual(canRaise ? [] : [expect.stringContaining(`nofile ${limit} (here 400)`)]);
  expect(/LimitsNotRestored/.test(described)).toBe(!canRaise);
  expect((await first.ended).code).toBe(0);
});

test("the Job of a manifest has the directory and the environment it was typed in", async () => {
  const manifest = manifestOf("name: here", 'pwd; echo "$FOO"');
  mkdirSync(place.path("elsewhere"));
  writeFileSync(place.path("elsewhere", "job.yaml"), manifest);
  const first = await host({ env: { FOO: "first" } });
  const args = ["run", "-f", "job.yaml", "-q", "--data", place.path(".tally")];
  const how = { env: { FOO: "second" }, directory: place.path("elsewhere") };
  const { code, out } = await place.run(args, undefined, how);
  release();
  expect([code, out]).toEqual([0, `${place.path("elsewhere")}\nsecond\n`]);
  expect((await first.ended).code).toBe(0);
});

test("the Job of a manifest without a name runs with its own environment", async () => {
  const manifest = manifestOf("generateName: made-", 'echo "$FOO"');
  writeFileSync(place.path("job.yaml"), manifest);
  const env = { FOO: "given" };
  const { code, out, error } = await place.run(["run", "-f", "job.yaml"], undefined, { env });
  expect([code, out]).toEqual([0, "given\n"]);
  expect(error).toMatch(/made-\w{5}: 1 of 1 succeeded/);
});

test("after kill -9 of the host each run goes on with its own environment", async () => {
  const script = 'echo "$NAME $FOO" >> "ran-$NAME"; while ! test -e over; do sleep 0.02; done';
  const args = (name: string) => ["run", name, "-q", "-j", "1", ...shell(script), ":::", "1", "2"];
  const how = (name: string, foo: string) => ({ env: { NAME: name, FOO: foo } });
  const first = place.start(args("a"), undefined, how("a", "first"));
  await until(() => existsSync(place.path("ran-a")));
  const second = place.start(args("b"), undefined, how("b", "second"));
  await until(() => existsSync(place.path("ran-b")));
  first.process.kill("SIGKILL");
  await first.ended;
  // The second items begin now: there is no other engine left than that of the second run.
  release();
  expect((await second.ended).code).toBe(0);
  // That one may have finished the first run, too.
  await place.run(["resume", "a", "-q"], undefined, how("x", "third"));
  expect(lines("ran-a")).toEqual(["a first", "a first"]);
  expect(lines("ran-b")).toEqual(["b second", "b second"]);
});

test("--resume replaces the environment and names what changed, never values", async () => {
  const script =
    'echo "$ITEM $FOO" >> ran; test $ITEM = 1 || while ! test -e over; do sleep 0.02; done';
  const args = (...more: string[]) => ["run", "r", "-j", "1", ...more, ...shell(script)];
  const items = [":::", "1", "2", "3"];
  const one = { env: { FOO: "value-one", GONE: "value-two" } };
  const killed = place.start([...args(), ...items], undefined, one);
  await until(() => existsSync(place.path("ran")) && lines("ran").length === 2);
  killed.process.kill("SIGKILL");
  await killed.ended;
  release();
  const before = "umask 0077; ulimit -n 512";
  const two = { env: { FOO: "value-three", NEW: "value-four" }, before };
  const { code, error } = await place.run([...args("--resume"), ...items], undefined, two);
  expect(code).toBe(0);
  expect(lines("ran")).toEqual(["1 value-one", "2 value-one", "3 value-three"]);
  expect(error).toContain(
    "tally: environment changed: FOO, GONE, NEW; umask changed; limits changed: nofile\n",
  );
  expect(error).not.toContain("value-");
});

test("--resume of an edited list has the new environment, and names only changes", async () => {
  writeFileSync(place.path("list"), "1\n");
  const script = 'echo "$ITEM $FOO" >> ran';
  const args = ["run", "e", "--resume", "-q", "-a", "list", ...shell(script)];
  const withFoo = (foo: string) => place.run(args, undefined, { env: { FOO: foo } });
  expect((await withFoo("one")).code).toBe(0);
  appendFileSync(place.path("list"), "2\n");
  expect((await withFoo("two")).error).toContain("environment changed: FOO\n");
  appendFileSync(place.path("list"), "3\n");
  expect((await withFoo("two")).error).not.toContain("changed");
  expect(lines("ran")).toEqual(["1 one", "2 two", "3 two"]);
});

test("tally retry and tally resume keep the environment that was stored", async () => {
  const script = 'echo "$FOO" >> ran; test -e works';
  const args = ["run", "k", "-q", "--retries", "0", ...shell(script)];
  expect((await place.run(args, undefined, { env: { FOO: "stored" } })).code).toBe(1);
  writeFileSync(place.path("works"), "");
  const other = { env: { FOO: "other" } };
  expect((await place.run(["retry", "k", "-q"], undefined, other)).code).toBe(0);
  const again = ["retry", "k", "-q", "--detach", "--index", "0"];
  expect((await place.run(again, undefined, other)).code).toBe(0);
  expect((await place.run(["resume", "k", "-q"], undefined, other)).code).toBe(0);
  expect(lines("ran")).toEqual(["stored", "stored", "stored"]);
  await place.run(["delete", "k", "--yes"], undefined, other);
  expect((await place.run(["get", "secrets", "--no-headers"])).out).toBe("");
});

const COPY = ["--", "cp", "/proc/self/environ", "copy"];
const copied = () => readFileSync(place.path("copy"), "latin1").split("\0");

test("a value that is not UTF-8 arrives unchanged, also at the next host", async () => {
  const first = await host({ env: { RAW: "other" } });
  const before = "RAW=$(printf 'a\\377\\201z'); export RAW";
  expect((await place.run(["run", "raw", "-q", ...COPY], undefined, { before })).code).toBe(0);
  release();
  expect(copied()).toContain("RAW=a\xff\x81z");
  expect((await first.ended).code).toBe(0);
});

test("variables with names that no shell knows arrive unchanged", async () => {
  const env = { "odd.name": "dots $and 'quotes'\n", MAIL: "box", "f%%": "() { :; }", "": "" };
  expect((await place.run(["run", "odd", "-q", ...COPY], undefined, { env })).code).toBe(0);
  const expected = ["odd.name=dots $and 'quotes'\n", "MAIL=box", "f%%=() { :; }"];
  expect(copied()).toEqual(expect.arrayContaining(expected));
  expect(copied().filter((each) => each.startsWith("TALLY_VALUE_"))).toEqual([]);
});

/** The arguments of all processes, as everybody can read them. */
function* commandLines(): Iterable<string> {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      yield readFileSync(`/proc/${pid}/cmdline`, "latin1");
    } catch {
      // Gone meanwhile.
    }
  }
}

test("values are in no argument, pod, Job or event, and others cannot read the data", async () => {
  const secret = `hidden-${process.pid}`;
  const run = await host({ env: { TOKEN: secret, "odd.token": secret, MAIL: secret } });
  await until(() => existsSync(place.path(".tally", "tally.sock")));
  const typed = [...commandLines()];
  expect(typed.some((line) => line.includes(WAITING))).toBe(true);
  expect(typed.filter((line) => line.includes(secret))).toEqual([]);
  const encoded = Buffer.from(secret).toString("base64").slice(0, 8);
  for (const kind of ["pods", "jobs", "events"]) {
    const { out } = await place.run(["get", kind, "-o", "yaml"]);
    expect(out).toContain("kind: ");
    expect([out.includes(secret), out.includes(encoded)]).toEqual([false, false]);
  }
  expect(statSync(place.path(".tally")).mode & 0o777).toBe(0o700);
  release();
  expect((await run.ended).code).toBe(0);
});

test("a template and a workflow have the environment that the template was made in", async () => {
  const script = 'echo "$FOO $ITEM" >> ran';
  const keep = ["run", "t", "--asTemplate", ...shell(script), ":::", "1", "2"];
  expect((await place.run(keep, undefined, { env: { FOO: "kept" } })).code).toBe(0);
  const workflow = ["create-workflow", "w", "--job=jobTemplate/t", "-q"];
  expect((await place.run(workflow, undefined, { env: { FOO: "other" } })).code).toBe(0);
  expect(lines("ran")).toEqual(["kept 1", "kept 2"]);
  rmSync(place.path("ran"));
  const later = ["run", "l", "--runAt", "2020-01-01T00:00:00Z", "-q", ...shell(script), ":::", "3"];
  expect((await place.run(later, undefined, { env: { FOO: "timed" } })).code).toBe(0);
  expect(lines("ran")).toEqual(["timed 3"]);
});

test("an environment that is too large to be stored is refused before anything runs", async () => {
  const env = Object.fromEntries(
    Array.from({ length: 10 }, (_, n) => [`V${n}`, "x".repeat(110_000)]),
  );
  const { code, error } = await place.run(["run", "big", ...shell("echo ran")], undefined, { env });
  expect(code).toBe(2);
  expect(error).toMatch(/the environment has \d+ bytes, and at most 1000000 can be stored/);
  expect(existsSync(place.path(".tally"))).toBe(false);
});

function manifestOf(metadata: string, script: string): string {
  return `
apiVersion: batch/v1
kind: Job
metadata: { ${metadata} }
spec:
  completions: 1
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: none, command: [sh, -c, '${script}'] }]
`;
}
