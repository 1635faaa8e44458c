/**
 * A program of a control plane, which can be stopped in any way and restarted with the same flags.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

export interface Component {
  readonly process: ChildProcess;
  /** Everything it has written. */
  log(): string;
  start(): Promise<void>;
  stop(signal?: "SIGTERM" | "SIGKILL"): Promise<void>;
}

export interface ComponentOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: { readonly [name: string]: string };
  /** Throws until the program is ready; `log` is its output since the last start. */
  readonly probe: (log: string) => Promise<void>;
  readonly readyMs?: number;
}

const READY_MS = 120_000;
const PROBE_EVERY_MS = 100;
const LOG_LIMIT = 4 * 1024 * 1024;

/** The program is ready when the probe succeeds, each time it is started. */
export async function startComponent(options: ComponentOptions): Promise<Component> {
  const component = new RunningComponent(options);
  await component.start();
  return component;
}

class RunningComponent implements Component {
  private child: ChildProcess | undefined;
  private text = "";
  private startedAt = 0;

  constructor(private readonly options: ComponentOptions) {}

  get process(): ChildProcess {
    if (!this.child) throw new Error(`${this.options.program} does not run`);
    return this.child;
  }

  log(): string {
    return this.text;
  }

  async start(): Promise<void> {
    const { program, args, env } = this.options;
    const child = spawn(program, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    const take = (text: string) => {
      this.text = (this.text + text).slice(-LOG_LIMIT);
    };
    child.stdout.setEncoding("utf8").on("data", take);
    child.stderr.setEncoding("utf8").on("data", take);
    this.child = child;
    this.startedAt = this.text.length;
    await this.ready(child);
  }

  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const { child } = this;
    if (!child || hasEnded(child)) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }

  private async ready(child: ChildProcess): Promise<void> {
    const untilMs = performance.now() + (this.options.readyMs ?? READY_MS);
    for (;;) {
      try {
        await this.options.probe(this.text.slice(this.startedAt));
        return;
      } catch (error) {
        if (hasEnded(child) || performance.now() > untilMs) {
          await this.stop("SIGKILL");
          throw new Error(`${this.options.program} is not ready: ${error}\n${this.tail()}`);
        }
      }
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS));
    }
  }

  private tail(): string {
    return this.text.slice(-4_000);
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
