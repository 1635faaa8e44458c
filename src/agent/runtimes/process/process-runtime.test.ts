import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Bundled, bundleProcesses } from "../../../../test/agent/bundled.ts";
import {
  isAlive,
  PATH,
  RuntimeUnderTest,
  until,
} from "../../../../test/agent/runtime-under-test.ts";
import type { RunRequest } from "../runtime.ts";

let bundled: Bundled;
let the: RuntimeUnderTest;

beforeAll(async () => {
  bundled = await bundleProcesses();
});
afterAll(() => bundled.dispose());
beforeEach(async () => {
  the = new RuntimeUnderTest(bundled);
  await the.open();
});
afterEach(() => the.dispose());

describe("how a run ends", () => {
  test.each([
    ["success", "exit 0", { exitCode: 0 }],
    ["an exit code", "exit 3", { exitCode: 3 }],
    ["an exit code that looks like a redirection that failed", "exit 2", { exitCode: 2 }],
    ["an exit code above 128", "exit 143", { exitCode: 143 }],
    ["a signal", "kill -TERM $$", { exitCode: 143, signal: 15 }],
    ["a kill by somebody else", "kill -KILL $$", { exitCode: 137, signal: 9 }],
    ["a crash", "kill -SEGV $$", { exitCode: 139, signal: 11 }],
    ["an interrupt", "kill -INT $$", { exitCode: 130, signal: 2 }],
    ["a command of sh that is not there", "no-such-command", { exitCode: 127 }],
  ])("%s is told", async (_what, script, expected) => {
    const { exitCode, signal, isLost } = await the.run(the.script(script));
    expect({ exitCode, ...(signal && { signal }), ...(isLost && { isLost }) }).toEqual(expected);
  });

  test("times are those of the run, to the order of its events", async () => {
    const before = Date.now();
    const { startedMs } = await the.start(the.script("exit 0"));
    const exit = await the.exitOf({ podUid: the.podUid(0), container: "main", attempt: 0 });
    expect(exit.startedMs).toBe(startedMs);
    expect(startedMs).toBeGreaterThanOrEqual(before);
    expect(exit.finishedMs).toBeGreaterThanOrEqual(exit.startedMs);
  });

  test("a log has the output of the run alone, whatever ended it", async () => {
    const runs = ["echo out; echo err >&2; kill -TERM $$", "echo one; kill -KILL $$"];
    const requests = runs.map((script) => the.script(script));
    await Promise.all(requests.map((request) => the.run(request)));
    expect(requests.map((request) => the.logOf(request))).toEqual(["out\nerr\n", "one\n"]);
  });

  test("a later attempt adds to a log that is there", async () => {
    const request = the.script("echo again");
    mkdirSync(join(the.directory, "logs"), { recursive: true });
    writeFileSync(request.logFile, "before\n");
    await the.run(request);
    expect(the.logOf(request)).toBe("before\nagain\n");
  });
});

describe("what cannot start is refused, in the words of container runtimes", () => {
  test.each([
    [["no-such"], {}, 127, 'exec: "no-such": executable file not found in $PATH'],
    [["/no/such"], {}, 127, 'exec: "/no/such": stat /no/such: no such file or directory'],
    [["sh"], { environment: [] }, 127, 'exec: "sh": executable file not found in $PATH'],
    [["./plain"], {}, 126, 'exec: "./plain": permission denied'],
    [["/tmp"], {}, 126, 'exec: "/tmp": is a directory'],
    [
      ["true"],
      { workingDirectory: "/no/such" },
      128,
      'working directory "/no/such": no such file or directory',
    ],
    [
      ["true"],
      { workingDirectory: "/bin/sh" },
      128,
      'working directory "/bin/sh": not a directory',
    ],
    [["echo", "a\0b"], {}, 128, "cannot hold a NUL character"],
    [["echo", "x".repeat(131_072)], {}, 126, "argument list too long"],
    [["echo", ...Array(30).fill("x".repeat(100_000))], {}, 126, "argument list too long"],
  ] as const)("%.40j %.40j", async (command, more, exitCode, message) => {
    writeFileSync(join(the.directory, "plain"), "text");
    chmodSync(join(the.directory, "plain"), 0o644);
    const refusal = await the.start(the.request(command, more)).catch((error) => error);
    expect(refusal).toMatchObject({ name: "RunRefused", reason: "StartError", exitCode });
    expect(refusal.message).toContain(message);
  });

  test("a log that cannot be made", async () => {
    const refusal = await the
      .start(the.script("exit 0", { logFile: "/proc/no/such.log" }))
      .catch((error) => error);
    expect(refusal).toMatchObject({ name: "RunRefused", exitCode: 128 });
  });
});

describe("a command is run as it was given", () => {
  const ODD = ["", " ", "'", "it's", '"', "$HOME", "`id`", "\\", "\\n", "a\nb", "*", "~", "#", "!"];
  const FOREIGN = [
    "é",
    "日本",
    "😀",
    "\u0081\u0088",
    "Á",
    "\r",
    "\t",
    "\x7f",
    "-n",
    "--",
    "=",
    "a=b",
  ];

  test("arguments with anything in them", async () => {
    const words = [...ODD, ...FOREIGN];
    const request = the.request(["printf", "%s\\0", ...words]);
    await the.run(request);
    expect(the.logOf(request).split("\0").slice(0, -1)).toEqual(words);
  });

  test("variables with anything in them, under any name, and no others", async () => {
    const values = [...ODD, ...FOREIGN].map((value, index) => [`V${index}`, value] as const);
    const names = ["my.name", "with-dash", "OPTIND", "IFS", "PPID", "UID", "PS1"];
    const odd = names.map((name) => [name, `of ${name}`] as const);
    for (const environment of [values, [...values, ...odd]]) {
      const given = [["PATH", PATH] as const, ...environment];
      const request = the.request(["env", "-0"], { environment: given });
      expect((await the.run(request)).exitCode).toBe(0);
      const seen = the.logOf(request).split("\0").slice(0, -1);
      const marker = `TALLY_RUN=${request.id.podUid}/main/0`;
      expect(seen.sort()).toEqual(
        [...given.map(([name, value]) => `${name}=${value}`), marker].sort(),
      );
    }
  });

  test("a long argument and a megabyte of them", async () => {
    const long = "x".repeat(131_000);
    const request = the.request(["printf", "%s", ...Array(8).fill(long)]);
    expect((await the.run(request)).exitCode).toBe(0);
    expect(the.logOf(request)).toHaveLength(8 * 131_000);
  });

  test.each([["echo"], ["exit"], ["kill"], ["test"], ["false"]])(
    "%s is the program, not what a shell makes of the word",
    async (name) => {
      const bin = join(the.directory, "bin");
      mkdirSync(bin);
      writeFileSync(join(bin, name), "#!/bin/sh\nprintf '%s ' program \"$@\"\n");
      chmodSync(join(bin, name), 0o755);
      const environment = [["PATH", `${bin}:${PATH}`]] as const;
      const request = the.request([name, "a\\tb"], { environment });
      expect((await the.run(request)).exitCode).toBe(0);
      expect(the.logOf(request)).toBe("program a\\tb ");
    },
  );

  test("in its working directory, with nothing on its input", async () => {
    const request = the.script("pwd -P; cat; echo done");
    await the.run(request);
    const directory = readFileSync(request.logFile, "utf8").split("\n");
    expect(directory.slice(1)).toEqual(["done", ""]);
    expect(directory[0]).toBe(the.directory);
  });
});

describe("signals reach the whole tree", () => {
  /** Each process writes its pid into the log and stays. */
  const TREE = "sleep 1000 & echo $!; sh -c 'echo $$; sleep 1000 & echo $!; wait' & echo $!; wait";
  const DAEMON = "setsid sh -c 'setsid sleep 1000 & echo $!' & wait; echo $$; exec sleep 1000";
  const STUBBORN = "trap '' TERM; echo $$; while :; do sleep 1000; done";

  async function pidsOf(request: RunRequest, count: number): Promise<readonly number[]> {
    const read = () => the.logOf(request).split("\n").slice(0, -1).map(Number);
    await the.start(request);
    await until(() => read().length >= count);
    return read();
  }

  test.each([
    ["a tree", TREE, 4],
    ["daemons", DAEMON, 2],
  ])("SIGTERM: %s", async (_what, script, count) => {
    const request = the.script(script);
    const pids = await pidsOf(request, count);
    await the.runtime.signal(request.id, "TERM");
    expect(await the.exitOf(request.id)).toMatchObject({ exitCode: 143, signal: 15 });
    await until(() => !pids.some(isAlive));
  });

  test.each([
    ["a tree", TREE, 4],
    ["daemons", DAEMON, 2],
    ["one that ignores SIGTERM", STUBBORN, 1],
  ])("SIGKILL: %s; when its end is told all are gone", async (_what, script, count) => {
    const request = the.script(script);
    const pids = await pidsOf(request, count);
    await the.runtime.signal(request.id, "TERM");
    await the.runtime.signal(request.id, "KILL");
    const exit = await the.exitOf(request.id);
    if (script === STUBBORN) expect(exit).toMatchObject({ exitCode: 137, signal: 9 });
    await until(() => !pids.some(isAlive));
  });

  test("what a run leaves behind ends with it", async () => {
    const request = the.script("sleep 1000 & echo $!; setsid setsid sleep 1000 & echo $!");
    expect((await the.run(request)).exitCode).toBe(0);
    const pids = the.logOf(request).split("\n").slice(0, -1).map(Number);
    await until(() => !pids.some(isAlive));
  });

  test("a signal right after the start is not lost", async () => {
    const requests = Array.from({ length: 20 }, () => the.request(["sleep", "1000"]));
    for (const request of requests) {
      await the.start(request);
      await the.runtime.signal(request.id, "TERM");
      expect(await the.exitOf(request.id)).toMatchObject({ signal: 15 });
    }
  });

  test("other signals, and a slot that goes on afterwards", async () => {
    for (const signal of ["INT", "QUIT", "HUP", "USR1", "USR2"] as const) {
      const request = the.request(["sleep", "1000"]);
      await the.start(request);
      await the.runtime.signal(request.id, signal);
      expect((await the.exitOf(request.id)).signal).toBeGreaterThan(0);
      expect(await the.run(the.script("exit 5"))).toMatchObject({ exitCode: 5 });
    }
  });

  test("to a run that is over it is no error", async () => {
    const request = the.script("exit 0");
    await the.run(request);
    await the.runtime.signal(request.id, "KILL");
    expect(the.exits).toHaveLength(1);
  });
});

test("a limit on cpu is kept where the machine permits it, for this run alone", async () => {
  const { enforcesCpu } = the.runtime.can;
  const request = the.script("cat /proc/self/cgroup", { limits: { cpuMillis: 500 } });
  expect((await the.run(request)).exitCode).toBe(0);
  expect(the.logOf(request).includes("tally-")).toBe(enforcesCpu);
  const free = the.script("cat /proc/self/cgroup");
  await the.run(free);
  expect(the.logOf(free)).not.toContain("tally-");
});

test("told to do without control groups it keeps no limit, and says so", async () => {
  await the.runtime.close({ leavesRunning: true });
  await the.open(undefined, { usesCgroups: false });
  expect(the.runtime.can).toMatchObject({ enforcesMemory: false, enforcesCpu: false });
  const { exitCode } = await the.run(the.script("exit 3", { limits: { memoryBytes: 1 } }));
  expect(exitCode).toBe(3);
});

test("a start that is asked for twice happens once", async () => {
  const request = the.script("echo once");
  const [one, other] = await Promise.all([the.start(request), the.start(request)]);
  expect(other).toEqual(one);
  await the.exitOf(request.id);
  expect(await the.start(request)).toEqual(one);
  expect(the.logOf(request)).toBe("once\n");
});

test("a thousand at once, and short ones among them", { timeout: 120_000 }, async () => {
  const sleeps = Array.from({ length: 1000 }, () => the.request(["sleep", "1000"]));
  await Promise.all(sleeps.map((request) => the.start(request)));
  const short = Array.from({ length: 50 }, (_, index) => the.script(`exit ${index}`));
  const exits = await Promise.all(short.map((request) => the.run(request)));
  expect(exits.map(({ exitCode }) => exitCode)).toEqual(short.map((_, index) => index));
  expect((await the.runtime.recover()).running).toHaveLength(1000);
  const status = readFileSync(`/proc/${the.spawnerPid()}/status`, "utf8");
  expect(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1])).toBeLessThan(200 * 1024);
  await Promise.all(sleeps.map(({ id }) => the.runtime.signal(id, "TERM")));
  const ends = await Promise.all(sleeps.map(({ id }) => the.exitOf(id)));
  expect(ends.every(({ signal }) => signal === 15)).toBe(true);
});
