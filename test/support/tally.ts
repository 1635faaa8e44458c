/** Starts the real binary on a free port and in its own directory, as a user would. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { removeTree } from "../../src/base/remove-tree.ts";
import { type Answer, call } from "./call-server.ts";
import { projectFile } from "./project-file.ts";
import { type Testifying, testimonyOf } from "./testimony.ts";
import { addWitness, waitingFor } from "./waits.ts";

export type { Answer };

const BINARY = projectFile("dist/main.js");

export interface Tally {
  readonly url: string;
  readonly token: string;
  /** The certificate authority of the server, in PEM. */
  readonly ca: string;
  readonly kubeconfig: string;
  readonly dataDir: string;
  readonly process: ChildProcess;
  /** Everything it has written to stderr. */
  log(): string;
  /** Everything it has written to stdout. */
  out(): string;
  call(method: string, path: string, body?: unknown, headers?: object): Promise<Answer>;
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL. The data directory stays. */
  kill(): Promise<void>;
  /** Stops the server if it still runs and removes its directory. */
  dispose(): Promise<void>;
}

export interface TallyOptions {
  readonly args?: readonly string[];
  /** Whether pods run on this machine. In most tests only the test itself plays the node. */
  readonly hasAgent?: boolean;
  /**
   * What happens to its pods when it stops; default: they are terminated, so that nothing is left.
   */
  readonly exitFlags?: readonly string[];
  readonly dataDir?: string;
  /** Default: in the data directory. */
  readonly kubeconfig?: string;
  readonly command?: readonly string[];
  /** The working directory; default: that of the tests. */
  readonly cwd?: string;
  /** Added to the environment of this process. */
  readonly env?: { readonly [name: string]: string };
}

export async function startTally(options: TallyOptions = {}): Promise<Tally> {
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), "tally-test-")));
  const [program = "", ...before] = options.command ?? [process.execPath];
  const { hasAgent = false, exitFlags = ["--on-exit=terminate"] } = options;
  const own = ["up", "--port", "0", "--data", dataDir, ...(hasAgent ? exitFlags : ["--no-agent"])];
  const elsewhere = options.kubeconfig === undefined ? [] : ["--kubeconfig", options.kubeconfig];
  const args = [...before, BINARY, ...own, ...elsewhere, ...(options.args ?? [])];
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    // Each server gets its own list of paths that sandboxes hide. With a shared list, concurrent
    // tests would change it while the server runs.
    env: { ...process.env, XDG_STATE_HOME: path.join(dataDir, "state"), ...options.env },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  // "close" comes after "exit": by then all output has been read.
  const exited = new Promise<number | null>((resolve) => child.once("close", resolve));
  const testifying: Testifying = { process: child, log: () => log };
  const forget = addWitness({
    name: `tally up in ${dataDir}`,
    describe: () => testimonyOf(testifying),
  });
  const ready = await readyLine(child, exited, () => log).catch((error: unknown) => {
    forget();
    throw error;
  });
  const url = /https:\/\/[^\s]+/.exec(ready)?.[0] ?? "";
  const kubeconfig = options.kubeconfig ?? path.join(dataDir, "kubeconfig");
  const access = await readFile(kubeconfig, "utf8");
  const token = /token: "?([^\s"]+)/.exec(access)?.[1] ?? "";
  const authority = /certificate-authority-data: "?([^\s"]+)/.exec(access)?.[1] ?? "";
  const ask: Tally["call"] = (method, where, body, headers) =>
    call({ url, token }, method, where, body, headers);
  Object.assign(testifying, { call: ask });
  const kill = async (): Promise<void> => {
    forget();
    child.kill("SIGKILL");
    await exited;
  };
  const stop = async (): Promise<number | null> => {
    child.kill("SIGTERM");
    const code = await waitingFor({ what: `tally up in ${dataDir} to stop` }, exited);
    forget();
    return code;
  };
  return {
    url,
    token,
    ca: Buffer.from(authority, "base64").toString("utf8"),
    kubeconfig,
    dataDir,
    process: child,
    log: () => log,
    out: () => out,
    call: ask,
    stop,
    kill,
    dispose: async () => {
      const isRunning = child.exitCode === null && child.signalCode === null;
      // SIGKILL would leave the pods running, so a server with an agent gets SIGTERM.
      if (isRunning) await (hasAgent ? stop() : kill());
      forget();
      // With custom exit flags the server may have left pods running.
      if (hasAgent && options.exitFlags) await runTally(["down", "--data", dataDir], options.env);
      await removeTree(dataDir);
    },
  };
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** Runs any command of the real binary until it exits. */
export function runTally(args: readonly string[], env: TallyOptions["env"] = {}): Promise<Ran> {
  const child = spawn(process.execPath, [BINARY, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let out = "";
  let error = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    error += text;
  });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, out, error })));
}

async function readyLine(
  child: ChildProcess,
  exited: Promise<number | null>,
  log: () => string,
): Promise<string> {
  let out = "";
  const line = new Promise<string>((resolve) => {
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      out += text;
      if (out.includes("\n")) resolve(out.slice(0, out.indexOf("\n")));
    });
  });
  const failed = exited.then((code) => {
    throw new Error(`tally up ended with ${code} before it was ready:\n${log()}`);
  });
  return Promise.race([line, failed]);
}
