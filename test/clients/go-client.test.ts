/** A client-go program: typed clients in protobuf, informers, exec, apply, leader election. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Cluster } from "../agent/cluster.ts";
import { projectFile } from "../support/project-file.ts";

const run = promisify(execFile);
const SOURCE = projectFile("test/clients/go");
const CACHE = path.join(
  process.env["XDG_CACHE_HOME"] || path.join(homedir(), ".cache"),
  "tally-test",
);

let cluster: Cluster | undefined;
let program: string;
let problem: string | undefined;

beforeAll(async () => {
  try {
    program = await builtProgram();
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
    return;
  }
  cluster = await Cluster.start();
}, 900_000);

afterAll(() => cluster?.dispose());

/** Compiling client-go takes minutes the first time, so the program is cached. */
async function builtProgram(): Promise<string> {
  const files = ["go.mod", "go.sum", "main.go"].map((name) => path.join(SOURCE, name));
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file));
  const built = path.join(CACHE, `go-client-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(built)) return built;
  if (process.env["TALLY_TEST_BUILD"] === "no") throw new Error("it is not built yet");
  await mkdir(CACHE, { recursive: true });
  const staged = `${built}.${process.pid}`;
  await run("go", ["build", "-o", staged, "."], {
    cwd: SOURCE,
    env: { ...process.env, GOFLAGS: "-mod=readonly -buildvcs=false" },
    maxBuffer: 16 * 1024 * 1024,
  });
  await rename(staged, built);
  return built;
}

const STEPS = [
  "fill the cache",
  "create a Job",
  "see a Job complete",
  "be told of it",
  "read a log",
  "execute commands",
  "patch a Job",
  "apply a Job",
  "delete all Jobs",
  "be told that they are gone",
  "be refused",
  "lead one after the other",
  "read what is described",
  "speak protobuf",
];

test("a program with client-go works unmodified", async (context) => {
  if (cluster === undefined) return context.skip(`no client of Go: ${problem}`);
  const { stdout } = await run(program, [cluster.tally.kubeconfig], { timeout: 150_000 });
  expect(stdout.trim().split("\n")).toEqual(expect.arrayContaining(STEPS));
}, 180_000);
