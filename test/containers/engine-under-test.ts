/** The runtime for Docker and Podman on a real Podman, with short functions to ask and to wait. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { EngineRun } from "../../src/agent/runtimes/engine/engine-run.ts";
import type { EngineRuntime } from "../../src/agent/runtimes/engine/engine-runtime.ts";
import { findEngines } from "../../src/agent/runtimes/engine/find-engine.ts";
import { openEngineRuntime } from "../../src/agent/runtimes/engine/open-engine.ts";
import type { Exit, RunRequest } from "../../src/agent/runtimes/runtime.ts";
import { parseCidr } from "../../src/base/address.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { BUSYBOX, Podman } from "./podman.ts";

export type WantedRun = RunRequest & { readonly engine: EngineRun };

export class EngineUnderTest {
  /** Each as "TYPE REASON MESSAGE". */
  readonly events: string[] = [];
  readonly directory = mkdtempSync(path.join(tmpdir(), "tally-engine-"));
  private readonly exits: Exit[] = [];
  private wake = () => {};
  private count = 0;
  private current: EngineRuntime | undefined;

  private constructor(private readonly podman: Podman) {}

  static async start(): Promise<EngineUnderTest> {
    const engine = new EngineUnderTest(await Podman.start());
    await mkdir(path.join(engine.directory, "logs"));
    await writeFile(engine.file("hosts"), "127.0.0.1\tlocalhost\n");
    await writeFile(engine.file("resolv.conf"), "nameserver 127.0.0.1\n");
    await engine.open();
    return engine;
  }

  get runtime(): EngineRuntime {
    if (!this.current) throw new Error("not open");
    return this.current;
  }

  /** Opens the runtime as a starting server does. */
  async open(): ReturnType<EngineRuntime["recover"]> {
    const [engine] = (await findEngines([this.podman.socket])).found;
    const range = parseCidr("10.217.0.0/16");
    if (!engine || !range) throw new Error("no engine");
    this.current = openEngineRuntime({
      engine,
      directory: this.directory,
      range,
      clock: systemClock,
      log: silentLog,
    });
    this.current.onExit((exit) => {
      this.exits.push(exit);
      this.wake();
    });
    return this.current.recover();
  }

  request(command: readonly string[], of: Partial<EngineRun> = {}): WantedRun {
    const podUid = `pod-${this.count++}`;
    return {
      id: { podUid, container: "main", attempt: 0 },
      command,
      environment: [["COLOR", "a b'c"]],
      logFile: this.logFile(podUid),
      messageFile: `${this.logFile(podUid)}.message`,
      engine: {
        image: this.image(BUSYBOX),
        network: { address: `10.217.1.${this.count}`, hostPorts: [] },
        files: { hosts: this.file("hosts"), resolvConf: this.file("resolv.conf") },
        ...PLAIN,
        ...of,
      },
    };
  }

  script(text: string, of: Partial<EngineRun> = {}): WantedRun {
    return this.request(["sh", "-c", text], of);
  }

  image(name: string, pullPolicy: "IfNotPresent" | "Never" = "IfNotPresent") {
    const tell = (type: string, reason: string, message: string) =>
      void this.events.push(`${type} ${reason} ${message}`);
    return { name, pullPolicy, credentials: () => [], tell };
  }

  start(wanted: WantedRun) {
    return this.runtime.start(wanted);
  }

  async exitOf({ id }: WantedRun): Promise<Exit> {
    for (;;) {
      const exit = this.exits.find((each) => each.id.podUid === id.podUid);
      if (exit) return exit;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  printed({ logFile }: WantedRun): string {
    return readFileSync(logFile, "utf8");
  }

  /** Releases everything of a deleted pod. */
  release({ id }: WantedRun): void {
    this.runtime.forget(id);
    this.runtime.release(id.podUid);
  }

  /** Returns what the runtime left in Podman. */
  async dispose(): Promise<readonly string[]> {
    await this.current?.close({ leavesRunning: false });
    const left = await this.podman.left();
    await this.podman.dispose();
    rmSync(this.directory, { recursive: true, force: true });
    return left;
  }

  private file(name: string): string {
    return path.join(this.directory, name);
  }

  private logFile(podUid: string): string {
    return path.join(this.directory, "logs", `${podUid}.log`);
  }
}

const PLAIN = {
  name: "podman",
  args: [],
  hostname: "web-0",
  sharedPaths: [],
  messagePath: "/dev/termination-log",
  user: { groups: [] },
  adds: [],
  drops: [],
  isPrivileged: false,
  mayGainPrivileges: true,
  hasReadOnlyRoot: false,
  sharesPids: "none",
  sharesHostIpc: false,
  sysctls: [],
  hasInput: false,
  isInputOnce: false,
  hasTerminal: false,
} as const;
