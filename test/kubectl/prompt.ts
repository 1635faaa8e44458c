/**
 * Runs a real kubectl against a real server: one server and one home directory (and so one
 * discovery cache) per test file, one namespace per test. find-kubectl.ts chooses the kubectl.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTally, type Tally } from "../support/tally.ts";
import { waitingFor } from "../support/waits.ts";
import { type FoundKubectl, findKubectl } from "./find-kubectl.ts";

/** Words separated by spaces, or a list if one of them contains a space. */
export type Command = string | readonly string[];

export interface RunOptions {
  /** For "-f -": a string is sent unchanged, anything else as JSON. */
  readonly stdin?: unknown;
  readonly env?: { readonly [name: string]: string };
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  /** Settles when the output matches; rejects if the process ends first. */
  until(pattern: RegExp): Promise<void>;
  /** Both outputs so far. */
  said(): string;
  readonly ended: Promise<Outcome>;
}

export interface Prompt {
  readonly tally: Tally;
  readonly home: string;
  /** For tests that run kubectl themselves. */
  readonly program: string;
  readonly environment: { readonly [name: string]: string };
  /** The version of the client: "v1.36.4". */
  readonly version: string;
  readonly namespace: string;
  kubectl(command: Command, options?: RunOptions): Promise<Outcome>;
  start(command: Command, options?: RunOptions): Running;
  /** Returns the output. Fails if the command fails or prints a warning. */
  prints(command: Command, options?: RunOptions): Promise<string>;
  /** Returns the error output. Fails if the command succeeds. */
  refuses(command: Command, options?: RunOptions): Promise<string>;
  /** Creates an object that the test needs, without kubectl. */
  given(resource: string, object: object): Promise<void>;
}

/** Starts a server for the test file, and returns a function that declares tests. */
export function kubectlTests(
  args: readonly string[] = ["--no-agent", "--controllers=none"],
  oldestMinor?: number,
): (name: string, body: (prompt: Prompt) => Promise<void>) => void {
  let found: FoundKubectl = { missing: "not looked for" };
  let tally: Tally;
  let home: string;
  let namespaces = 0;
  beforeAll(async () => {
    found = await findKubectl(oldestMinor);
    if ("missing" in found) return refuseUnlistedSkip(found.missing);
    tally = await startTally({ args, hasAgent: !args.includes("--no-agent") });
    home = await mkdtemp(path.join(tmpdir(), "tally-kubectl-"));
  });
  afterAll(async () => {
    await tally?.dispose();
    if (home) await rm(home, { recursive: true, force: true });
  });
  return (name, body) => {
    test.concurrent(name, async (context) => {
      if ("missing" in found) return context.skip(`no kubectl: ${found.missing}`);
      namespaces += 1;
      const namespace = `ns-${namespaces}`;
      const made = await tally.call("POST", "/api/v1/namespaces", {
        metadata: { name: namespace },
      });
      expect(made.status).toBe(201);
      await body(promptOf(tally, found, home, namespace));
    });
  };
}

/** In CI every kubectl is expected: a skip must be listed in test/skips.md, or the run fails. */
export async function refuseUnlistedSkip(reason: string): Promise<void> {
  if (process.env["CI"] !== "true") return;
  const list = path.join(path.dirname(fileURLToPath(import.meta.url)), "../skips.md");
  const listed = existsSync(list) && (await readFile(list, "utf8")).includes("test/kubectl");
  if (!listed)
    throw new Error(`no kubectl, and test/skips.md does not list test/kubectl: ${reason}`);
}

function promptOf(
  tally: Tally,
  found: Extract<FoundKubectl, { path: string }>,
  home: string,
  namespace: string,
): Prompt {
  const environment = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    KUBECONFIG: tally.kubeconfig,
  };
  const start = (command: Command, options: RunOptions = {}): Running => {
    const words = typeof command === "string" ? command.split(" ") : command;
    const env = { ...environment, ...options.env };
    return follow(found.path, ["--namespace", namespace, ...words], env, options.stdin);
  };
  const kubectl: Prompt["kubectl"] = (command, options) => start(command, options).ended;
  return {
    tally,
    home,
    program: found.path,
    environment,
    version: found.version,
    namespace,
    start,
    kubectl,
    prints: async (command, options) => {
      const outcome = await kubectl(command, options);
      expect(outcome, String(command)).toMatchObject({ code: 0, stderr: "" });
      return outcome.stdout;
    },
    refuses: async (command, options) => {
      const outcome = await kubectl(command, options);
      expect(outcome, String(command)).toMatchObject({ code: 1, stdout: "" });
      return outcome.stderr;
    },
    given: async (resource, object) => {
      const answer = await tally.call("POST", resource.replace("NS", namespace), object);
      expect(answer.status, answer.text).toBe(201);
    },
  };
}

/** Runs a program and records its output. */
export function follow(
  program: string,
  args: readonly string[],
  env: Record<string, string>,
  stdin: unknown,
): Running {
  const child = spawn(program, args, { env, stdio: "pipe" });
  const text = typeof stdin === "string" ? stdin : JSON.stringify(stdin);
  // A kubectl that rejects its flags ends without reading its input.
  child.stdin.on("error", () => {}).end(text);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (data: string) => {
    stdout += data;
  });
  child.stderr.setEncoding("utf8").on("data", (data: string) => {
    stderr += data;
  });
  const said = () => stdout + stderr;
  const closed = new Promise<Outcome>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr: stderr.replaceAll(EARLY, "") }));
  });
  const what = `${program} ${args.join(" ")} (pid ${child.pid}) to end`;
  const ended = waitingFor({ what, describe: () => `it printed:\n${said()}` }, closed);
  const until = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (pattern.test(stdout) || pattern.test(stderr)) resolve();
      };
      child.stdout.on("data", look);
      child.stderr.on("data", look);
      child.once("close", () => reject(new Error(`ended without ${pattern}:\n${stdout}${stderr}`)));
      look();
    });
  return { process: child, until, said, ended };
}

/** kubectl prints this if a server sends data before kubectl reads it, which is allowed. */
const EARLY = /^E\d{4} .* websocket\.go:\d+\] Unknown stream id \d, discarding message\n/gm;
