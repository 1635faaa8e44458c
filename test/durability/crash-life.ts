/** One life of a server that will be killed: the whole program, or only the server. */
import { type ChildProcess, spawn } from "node:child_process";
import { type Answer, type CalledServer, call } from "../support/call-server.ts";
import type { Compiled } from "../support/compiled.ts";
import { projectFile } from "../support/project-file.ts";
import { startTally } from "../support/tally.ts";

export interface Life extends CalledServer {
  call(method: string, path: string, body?: unknown, headers?: object): Promise<Answer>;
  /** Sends SIGKILL; settles when all its processes have ended. */
  kill(): Promise<void>;
}

export interface Mortal {
  readonly name: string;
  start(dataDir: string): Promise<Life>;
  /** Starts and is killed that much later, however far it has come by then. */
  startInVain(dataDir: string, afterMs: number): Promise<void>;
}

const WHOLE_ARGS = ["--controllers=none", "--no-agent"];

export const wholeProgram: Mortal = {
  name: "tally up",
  start: (dataDir) => startTally({ dataDir, args: WHOLE_ARGS }),
  startInVain: (dataDir, afterMs) => {
    const own = ["up", "--port", "0", "--data", dataDir, ...WHOLE_ARGS];
    return killAfter(spawn(process.execPath, [projectFile("dist/main.js"), ...own]), afterMs);
  },
};

export function serverAlone({ child }: Compiled): Mortal {
  const begin = (dataDir: string) => spawn(process.execPath, [child, dataDir]);
  return {
    name: "the server alone",
    start: (dataDir) => lifeOf(begin(dataDir)),
    startInVain: (dataDir, afterMs) => killAfter(begin(dataDir), afterMs),
  };
}

async function lifeOf(child: ChildProcess): Promise<Life> {
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = endOf(child);
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding("utf8").once("data", (text: string) => resolve(text.trim()));
    ended.then(() => reject(new Error(`the server ended before it was ready: ${said}`)));
  });
  const server = { url, token: "" };
  return {
    ...server,
    call: (method, path, body, headers) => call(server, method, path, body, headers),
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

async function killAfter(child: ChildProcess, afterMs: number): Promise<void> {
  const ended = endOf(child);
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  await ended;
  clearTimeout(timer);
}

function endOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) => child.once("exit", resolve));
}
