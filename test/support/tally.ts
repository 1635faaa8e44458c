/** Starts the real binary on a free port and a directory of its own, as a user would. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = findRoot(path.dirname(fileURLToPath(import.meta.url)));
const BINARY = path.join(ROOT, "dist/main.js");

/** This file runs from its source and, compiled, from the benchmarks' output. */
function findRoot(directory: string): string {
  if (existsSync(path.join(directory, "package.json"))) return directory;
  return findRoot(path.dirname(directory));
}

export interface Tally {
  readonly url: string;
  readonly token: string;
  /** The authority of its certificate, in PEM. */
  readonly ca: string;
  readonly kubeconfig: string;
  readonly dataDir: string;
  readonly process: ChildProcess;
  /** Everything it has written to stderr. */
  log(): string;
  call(method: string, path: string, body?: unknown, headers?: object): Promise<Answer>;
  /** SIGTERM; settles with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL; the data directory stays. */
  kill(): Promise<void>;
  /** Ends it if need be and removes its directory. */
  dispose(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of a server is whatever it is
  readonly json: any;
}

export interface TallyOptions {
  readonly args?: readonly string[];
  /** Whether pods run on this machine; in most tests nobody but the test plays the node. */
  readonly hasAgent?: boolean;
  readonly dataDir?: string;
  readonly command?: readonly string[];
  /** Where it is started; absent: where the tests are. */
  readonly cwd?: string;
  /** On top of the environment of this process. */
  readonly env?: { readonly [name: string]: string };
}

export async function startTally(options: TallyOptions = {}): Promise<Tally> {
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), "tally-test-")));
  const [program = "", ...before] = options.command ?? [process.execPath];
  const own = ["up", "--port", "0", "--data", dataDir, ...(options.hasAgent ? [] : ["--no-agent"])];
  const args = [...before, BINARY, ...own, ...(options.args ?? [])];
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...options.env },
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const ready = await readyLine(child, exited, () => log);
  const url = /https:\/\/[^\s]+/.exec(ready)?.[0] ?? "";
  const kubeconfig = path.join(dataDir, "kubeconfig");
  const access = await readFile(kubeconfig, "utf8");
  const token = /token: "?([^\s"]+)/.exec(access)?.[1] ?? "";
  const authority = /certificate-authority-data: "?([^\s"]+)/.exec(access)?.[1] ?? "";
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  const stop = async (): Promise<number | null> => {
    child.kill("SIGTERM");
    return exited;
  };
  return {
    url,
    token,
    ca: Buffer.from(authority, "base64").toString("utf8"),
    kubeconfig,
    dataDir,
    process: child,
    log: () => log,
    call: (method, where, body, headers) => call(url, token, method, where, body, headers),
    stop,
    kill,
    dispose: async () => {
      const isRunning = child.exitCode === null && child.signalCode === null;
      // Pods would survive a kill.
      if (isRunning) await (options.hasAgent ? stop() : kill());
      await rm(dataDir, { recursive: true, force: true });
    },
  };
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

function call(
  url: string,
  token: string,
  method: string,
  where: string,
  body: unknown,
  headers: object = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const isText = typeof body === "string" || Buffer.isBuffer(body);
    const payload = body === undefined ? undefined : isText ? body : JSON.stringify(body);
    const type = payload === undefined ? {} : { "Content-Type": "application/json" };
    const request = httpsRequest(
      `${url}${where}`,
      {
        method,
        rejectUnauthorized: false,
        headers: { Authorization: `Bearer ${token}`, ...type, ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString("utf8");
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            get json() {
              return JSON.parse(text);
            },
          });
        });
        response.on("error", reject);
      },
    );
    request.on("error", reject);
    request.end(payload);
  });
}
