/**
 * How a command is started beside a container in a sandbox: in the namespaces and the root of the
 * container, as its user and with no more rights than it has.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import type { StartOrder } from "../protocol.ts";
import { ENV } from "../script.ts";
import { asOneself } from "./rootless.ts";
import { RISKY_VARIABLES } from "./sandbox-script.ts";
import { childOf } from "./seat.ts";
import { stagedConfine } from "./staging.ts";
import { findTools, type Tools } from "./tools.ts";

export interface Entered {
  /** With the programs that enter the container before it. It starts in any directory. */
  readonly command: readonly string[];
  readonly environment: StartOrder["environment"];
}

type Entering = Pick<StartOrder, "command" | "environment" | "directory">;

/**
 * The pid is that of the container's slot. Undefined if its command has not begun, or is over.
 *
 * The namespaces are those of the process that leads the seat: the container cannot change them,
 * so that the programs which enter them are those of the host.
 */
export function enterSandbox(slot: number, entering: Entering, tools: Tools): Entered | undefined {
  const leader = childOf(slot);
  const main = leader === undefined ? undefined : childOf(leader);
  if (leader === undefined || main === undefined) return undefined;
  const root = rootOf(main);
  const status = read(`/proc/${main}/status`);
  if (root === undefined || status === undefined) return undefined;
  const { command, environment, directory } = entering;
  const late = environment.filter(([name]) => RISKY_VARIABLES.test(name));
  const { unshare, nsenter, rootless } = tools;
  return {
    command: [
      nsenter,
      `--target=${leader}`,
      ...(rootless ? ["--user", "--preserve-credentials"] : ["--net"]),
      ...["--mount", "--uts", `--ipc=/proc/${main}/ns/ipc`, "--pid"],
      ...(rootless ? [unshare, ...asOneself(rootless)] : []),
      ...[
        helperOf(root),
        "enter",
        `-r${root}`,
        `-d${directory}`,
        ...privilegesIn(status, tools),
        "--",
      ],
      ...(late.length === 0 ? [] : [ENV, ...late.map(([name, value]) => `${name}=${value}`)]),
      ...command,
    ],
    environment: environment.filter(([name]) => !RISKY_VARIABLES.test(name)),
  };
}

/** Waits until the container's command has begun. Undefined if it is over, or does not begin. */
export async function enterSoon(
  findSlot: () => number | undefined,
  entering: Entering,
  tools: Tools,
  clock: Clock,
): Promise<Entered | undefined> {
  const untilMs = clock.monotonicMs() + LONGEST_BEGINNING_MS;
  while (clock.monotonicMs() < untilMs) {
    const slot = findSlot();
    if (slot === undefined) return undefined;
    const entered = enterSandbox(slot, entering, tools);
    if (entered !== undefined) return entered;
    await new Promise<void>((resolve) => clock.schedule(AGAIN_MS, resolve));
  }
  return undefined;
}

/** The pid is that of the container's slot. */
export function enterNetwork(slot: number): readonly string[] | undefined {
  const leader = childOf(slot);
  return leader === undefined ? undefined : enterNetworkOf(leader);
}

export function enterNetworkOf(pid: number): readonly string[] | undefined {
  const { tools } = findTools();
  return tools && [tools.nsenter, `--target=${pid}`, "--net"];
}

const LONGEST_BEGINNING_MS = 10_000;
const AGAIN_MS = 5;

/** Undefined until the process has become the container's command, and has given up its rights. */
function rootOf(pid: number): string | undefined {
  try {
    const root = readlinkSync(`/proc/${pid}/root`);
    const program = readlinkSync(`/proc/${pid}/exe`);
    return root === "/" || program === helperOf(root) ? undefined : root;
  } catch {
    return undefined;
  }
}

/** Beside the roots of a seat. */
function helperOf(root: string): string {
  return stagedConfine(dirname(dirname(root)));
}

/** From /proc/PID/status to options of confine.c. */
export function privilegesIn(status: string, { rootless }: Pick<Tools, "rootless">): string[] {
  const field = (name: string) =>
    new RegExp(`^${name}:[ \\t]*(.*)$`, "m").exec(status)?.[1]?.trim() ?? "";
  const [uid = "0"] = field("Uid").split(/\s+/);
  const [gid = "0"] = field("Gid").split(/\s+/);
  const groups = field("Groups").split(/\s+/).filter(Boolean);
  return [
    // Privileged containers have no filter, and keep all capabilities.
    ...(field("Seccomp") === "2" ? [`-c${field("CapBnd")}`] : []),
    ...(rootless ? [] : [`-u${uid}`, `-g${gid}`, `-G${groups.join(",")}`]),
    ...(field("NoNewPrivs") === "1" ? ["-n"] : []),
  ];
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return undefined;
  }
}
