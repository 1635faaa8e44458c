import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Bundled, bundleProcesses } from "../../../../test/agent/bundled.ts";
import type { CommandStream } from "../../../api/stream-source.ts";
import { systemClock } from "../../../base/clock.ts";
import { commandStream } from "../command-stream.ts";
import type { ExecOrder } from "../orders.ts";
import { StreamsChild } from "../streams-child.ts";

const ALL = { stdin: true, stdout: true, stderr: true };
const PATH = "/usr/local/bin:/usr/bin:/bin";

let bundled: Bundled;
let directory: string;
let child: StreamsChild;

beforeAll(async () => {
  bundled = await bundleProcesses();
  directory = mkdtempSync(join(tmpdir(), "tally-streams-"));
  child = new StreamsChild({ directory, clock: systemClock, childFile: bundled.streams });
});

afterAll(async () => {
  const [pid = ""] = execFileSync("ls", [join(directory, "streams", "lock")], { encoding: "utf8" })
    .trim()
    .split("-");
  process.kill(Number(pid), "SIGKILL");
  await bundled.dispose();
  rmSync(directory, { recursive: true, force: true });
});

async function exec(text: string, more: Partial<ExecOrder> = {}): Promise<CommandStream> {
  const socket = await child.open({
    order: "exec",
    command: ["sh", "-c", text],
    environment: [["PATH", PATH]],
    directory,
    run: "pod/c/0",
    stdin: true,
    tty: false,
    ...more,
  });
  return commandStream(socket, ALL);
}

async function textOf(output: Readable | undefined): Promise<string> {
  let text = "";
  for await (const bytes of output ?? []) text += bytes;
  return text;
}

/** Once it was written to, and grows no more. */
async function lengthAtRest(file: string): Promise<number> {
  let length = 0;
  for (let looks = 0; looks < 10; looks++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const now = existsSync(file) ? statSync(file).size : 0;
    if (now === 0 || now > length) looks = 0;
    length = now;
  }
  return length;
}

test("several that come at once find one child, and what they type at once is read", async () => {
  const streams = await Promise.all(Array.from({ length: 5 }, () => exec("cat; echo over >&2")));
  for (const [at, { stdin }] of streams.entries()) stdin?.end(`typed ${at}`);
  const said = await Promise.all(streams.map(({ stdout }) => textOf(stdout)));
  expect(said).toEqual([0, 1, 2, 3, 4].map((at) => `typed ${at}`));
  expect(await textOf(streams[0]?.stderr)).toBe("over\n");
});

test.each([
  ["exit 0", { exitCode: 0 }],
  ["exit 3", { exitCode: 3 }],
  ["kill -TERM $$", { exitCode: 143 }],
])("%s is told", async (text, end) => {
  const stream = await exec(text);
  stream.stdout?.resume();
  stream.stderr?.resume();
  expect(await stream.ended).toEqual(end);
});

test("what cannot begin is refused", async () => {
  const stream = await exec("", { command: ["no-such-command"] });
  stream.stdout?.resume();
  stream.stderr?.resume();
  const problem = 'exec: "no-such-command": executable file not found in $PATH';
  expect(await stream.ended).toEqual({ problem });
});

test("whoever does not read holds up the process that prints", async () => {
  const file = join(directory, "printed");
  const stream = await exec(`head -c 20000000 /dev/zero | tee ${file}; echo over >&2`);
  const errors = textOf(stream.stderr);
  expect(await lengthAtRest(file)).toBeLessThan(5_000_000);
  let length = 0;
  for await (const bytes of stream.stdout ?? []) length += bytes.length;
  expect(length).toBe(20_000_000);
  expect(await errors).toBe("over\n");
  expect(await stream.ended).toEqual({ exitCode: 0 });
});

test("what is left in the background does not hold up the end", async () => {
  const stream = await exec("sleep 30 & echo $!");
  const pid = Number((await stream.stdout?.[Symbol.asyncIterator]().next())?.value);
  expect(await stream.ended).toEqual({ exitCode: 0 });
  process.kill(pid, "SIGKILL");
});

test("an input that is held is opened without delay, and ends when it is let go", async () => {
  const order = { run: "pod/held/0", tty: false, stdin: true, isOnce: true, logFile: "/dev/null" };
  const held = await child.ask({ order: "hold", ...order });
  if (held.news !== "held") throw new Error(held.news);
  const attached = commandStream(
    await child.open({ order: "attach", run: order.run, stdin: true, tty: false }),
    ALL,
  );
  // Typed and ended before anybody reads: nothing of it is lost.
  await new Promise<void>((resolve) => attached.stdin?.end("all there is", resolve));
  const reader = await exec(`cat ${held.stdinFile}`);
  expect(await textOf(reader.stdout)).toBe("all there is");
  await child.release(order.run);
  expect(await attached.ended).toEqual({});
});

test("nothing can be attached to what is not held", async () => {
  const socket = await child.open({ order: "attach", run: "pod/other/0", stdin: true, tty: false });
  const { ended } = commandStream(socket, { stdin: true, stdout: false, stderr: false });
  expect(await ended).toMatchObject({ problem: expect.stringContaining("neither an input") });
});
