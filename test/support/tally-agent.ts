/** Starts the real binary as a node of a running server. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { projectFile } from "./project-file.ts";
import type { Tally } from "./tally.ts";
import { testimonyOf } from "./testimony.ts";
import { addWitness, waitingFor } from "./waits.ts";

export interface TallyAgent {
  readonly dataDir: string;
  /** Everything it has written to stderr. */
  log(): string;
  /** Everything it has written to stdout. */
  out(): string;
  /** Sends SIGKILL. Its containers keep running. */
  kill(): Promise<void>;
  /** Sends SIGTERM. The data directory stays. */
  stop(): Promise<void>;
  dispose(): Promise<void>;
}

export interface TallyAgentOptions {
  readonly nodeName: string;
  readonly dataDir?: string;
  readonly args?: readonly string[];
  /** Added to the environment of this process. */
  readonly env?: { readonly [name: string]: string };
  /**
   * What happens to its pods when it stops; default: they are terminated, so that nothing is left.
   */
  readonly exitFlags?: readonly string[];
}

/** Resolves when the node is ready. */
export async function startTallyAgent(
  { kubeconfig }: Pick<Tally, "kubeconfig">,
  options: TallyAgentOptions,
): Promise<TallyAgent> {
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), "tally-agent-")));
  const own = ["--kubeconfig", kubeconfig, "--node-name", options.nodeName, "--data", dataDir];
  const { exitFlags = ["--on-exit=terminate"] } = options;
  const main = projectFile("dist/main.js");
  const args = [main, "agent", ...own, ...exitFlags, ...(options.args ?? [])];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, XDG_STATE_HOME: path.join(dataDir, "state"), ...options.env },
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  let out = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const forget = addWitness({
    name: `tally agent ${options.nodeName}`,
    describe: () => testimonyOf({ process: child, log: () => log }),
  });
  const end = async (signal: "SIGKILL" | "SIGTERM"): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await waitingFor({ what: `tally agent ${options.nodeName} to stop` }, exited);
    forget();
  };
  await Promise.race([
    new Promise<void>((resolve) => child.stdout.once("data", () => resolve())),
    exited.then(() => {
      throw new Error(`tally agent ended before it was ready:\n${log}`);
    }),
  ]);
  return {
    dataDir,
    log: () => log,
    out: () => out,
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    dispose: async () => {
      await end("SIGTERM");
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
