/**
 * The host's side of the sandboxes' networks: a bridge with the host's own address, and for each
 * sandbox a cable from there into its namespace. A cable is gone with either of its ends; the
 * bridge is removed when the spawner leaves nothing behind.
 *
 * One shell does it all: a fork of it costs less than one of the spawner.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import type { SandboxNetwork } from "../../runtimes/runtime.ts";
import { splitLines } from "../protocol.ts";
import { quote } from "../quote.ts";
import { NO_TRANSLATOR, type Tools } from "./tools.ts";
import { composeNoWayOut, composeWayOut } from "./way-out.ts";

export interface HostNetworkOptions {
  readonly tools: Pick<Tools, "translator"> & { readonly ip: string };
  /** Of the spawner: two of them on one machine have a bridge each. */
  readonly directory: string;
  /** Pods reach nothing beyond this machine, and why. */
  readonly onNoWayOut: (problem: string) => void;
}

export class HostNetwork {
  private shell: ChildProcess | undefined;
  private readonly waiting: ((problem: string | undefined) => void)[] = [];
  private said = "";
  private rest = "";
  private readonly bridge: string;
  private bridged: Promise<string | undefined> | undefined;

  constructor(private readonly options: HostNetworkOptions) {
    this.bridge = bridgeName(options.directory);
  }

  /** A cable into the network of that process. Undefined, or what is in the way. */
  async connect(pid: number, network: SandboxNetwork): Promise<string | undefined> {
    this.bridged ??= this.makeBridge(network);
    const problem = await this.bridged;
    if (problem !== undefined) {
      this.bridged = undefined;
      return problem;
    }
    const peer = `peer name eth0 netns ${pid}`;
    return this.ip(`link add tly${pid} master ${this.bridge} up type veth ${peer}`);
  }

  /** The bridge is left to those who still use it. */
  async close({ removesBridge }: { readonly removesBridge: boolean }): Promise<void> {
    const isThere = existsSync(`/sys/class/net/${this.bridge}`);
    if (removesBridge && isThere) await this.removeBridge();
    this.shell?.stdin?.end();
    this.shell = undefined;
  }

  private async makeBridge({ gateway, prefixLength }: SandboxNetwork): Promise<string | undefined> {
    // One that was left by a spawner before us will do.
    await this.ip(`link add ${this.bridge} type bridge`);
    // A bridge without one of its own takes the lowest of its cables, and another one whenever
    // these come and go: pods would send to an address that is nobody's any more.
    await this.ip(`link set ${this.bridge} address ${hardwareAddress(this.bridge)}`);
    const problem = await this.ip(`link set ${this.bridge} up`);
    if (problem !== undefined) return problem;
    await this.ip(`addr flush dev ${this.bridge}`);
    forward(this.bridge);
    const unaddressed = await this.ip(`addr add ${gateway}/${prefixLength} dev ${this.bridge}`);
    if (unaddressed === undefined) await this.openWayOut(`${gateway}/${prefixLength}`);
    return unaddressed;
  }

  /** What is in the way of it is in the way of nothing else. */
  private async openWayOut(cidr: string): Promise<void> {
    const { tools, onNoWayOut } = this.options;
    const { translator } = tools;
    const { bridge } = this;
    const problem =
      translator === undefined
        ? NO_TRANSLATOR
        : await this.run(composeWayOut(translator, { bridge, cidr }));
    if (problem !== undefined) onNoWayOut(problem);
  }

  private async removeBridge(): Promise<void> {
    const { translator } = this.options.tools;
    if (translator !== undefined) await this.run(composeNoWayOut(translator, this.bridge));
    await this.ip(`link del ${this.bridge}`);
  }

  private async ip(command: string): Promise<string | undefined> {
    const problem = await this.run(`${quote(this.options.tools.ip)} ${command}`);
    return problem && `ip: ${problem}`;
  }

  private run(command: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.shell ??= this.open();
      this.shell.stdin?.write(`{ ${command};} </dev/null 2>&1;echo "${MARK}$?"\n`);
    });
  }

  private open(): ChildProcess {
    const shell = spawn("/bin/sh", ["-s"], { stdio: ["pipe", "pipe", "ignore"], cwd: "/" });
    shell.stdin?.on("error", () => {});
    shell.stdout?.setEncoding("utf8").on("data", (text: string) => this.hear(text));
    const onLoss = () => {
      if (this.shell === shell) this.shell = undefined;
      for (const resolve of this.waiting.splice(0)) resolve("the shell that runs ip is gone");
    };
    shell.on("error", onLoss);
    shell.on("exit", onLoss);
    return shell;
  }

  private hear(text: string): void {
    const { lines, rest } = splitLines(this.rest, text);
    this.rest = rest;
    for (const line of lines) {
      if (!line.startsWith(MARK)) {
        this.said += ` ${line}`;
        continue;
      }
      const problem = line === `${MARK}0` ? undefined : this.said.trim() || line;
      this.said = "";
      this.waiting.shift()?.(problem);
    }
  }
}

const MARK = "\u0001";

/** Names of devices have fifteen characters at most. */
export function bridgeName(directory: string): string {
  return `tally-${createHash("sha256").update(directory).digest("hex").slice(0, 8)}`;
}

/** "tally-2f90cfd4" to "02:74:2f:90:cf:d4": one that no device was made with. */
export function hardwareAddress(bridge: string): string {
  const digits = bridge.slice(-8).match(/../g) ?? [];
  return ["02", "74", ...digits].join(":");
}

/** Of what comes from pods, and of nothing else. */
function forward(bridge: string): void {
  try {
    writeFileSync(`/proc/sys/net/ipv4/conf/${bridge}/forwarding`, "1");
  } catch {
    // Pods reach each other and the host without it.
  }
}
