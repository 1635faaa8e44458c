/**
 * How a command is started beside a run in a sandbox: in the namespaces and the root of the run's
 * own process, as its user and with no more rights than it has.
 */
import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import type { Clock } from "../../../base/clock.ts";
import type { StartOrder } from "../protocol.ts";
import { asOneself, NO_RIGHTS } from "./rootless.ts";
import { RISKY_VARIABLES } from "./sandbox-script.ts";
import { childOf } from "./seat.ts";
import { findTools, type Tools } from "./tools.ts";

export interface Entered {
  /** With what enters before it. To be started in any directory of the host. */
  readonly command: readonly string[];
  readonly environment: StartOrder["environment"];
}

type Entering = Pick<StartOrder, "command" | "environment" | "directory">;

/** The pid is that of the run's slot. Undefined while its command has not begun, or is over. */
export function enterSandbox(slot: number, entering: Entering, tools: Tools): Entered | undefined {
  const main = childOf(childOf(slot) ?? 0);
  if (main === undefined || !hasBegun(main, tools)) return undefined;
  const { command, environment, directory } = entering;
  const late = environment.filter(([name]) => RISKY_VARIABLES.test(name));
  const status = read(`/proc/${main}/status`);
  if (status === undefined) return undefined;
  const confine = tools.confine !== undefined && isFiltered(status) ? [tools.confine] : [];
  return {
    command: [
      ...(tools.rootless
        ? enterRootless(slot, main, { tools, confine })
        : [...confine, ...enterAsRoot(main, tools)]),
      ...privilegesIn(status, tools),
      ...["/usr/bin/env", `--chdir=${directory}`],
      ...late.map(([name, value]) => `${name}=${value}`),
      ...command,
    ],
    environment: environment.filter(([name]) => !RISKY_VARIABLES.test(name)),
  };
}

/** As soon as its command has begun; undefined where it is over, or does not begin. */
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

/** Of whatever runs there: the pid is that of the slot. */
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

function enterAsRoot(main: number, { nsenter }: Tools): readonly string[] {
  return [nsenter, `--target=${main}`, "--mount", "--uts", "--ipc", "--net", "--pid", "--root"];
}

/** By the user namespace of its slot, which has the rights to enter the others. */
function enterRootless(
  slot: number,
  main: number,
  { tools, confine }: { readonly tools: Tools; readonly confine: readonly string[] },
): readonly string[] {
  const { nsenter, unshare, rootless } = tools;
  const own = (name: string) => `/proc/${main}/ns/${name}`;
  return [
    nsenter,
    `--user=/proc/${childOf(slot)}/ns/user`,
    "--preserve-credentials",
    ...[`--mount=${own("mnt")}`, `--uts=${own("uts")}`, `--ipc=${own("ipc")}`],
    `--pid=${own("pid")}`,
    // Only there it has the right to be confined.
    ...confine,
    ...[unshare, ...(rootless ? asOneself(rootless) : [])],
    `--root=${readlinkSync(`/proc/${main}/root`)}`,
  ];
}

/** Until then it is what makes it ready, with all rights. */
function hasBegun(pid: number, { unshare, setpriv }: Tools): boolean {
  try {
    if (readlinkSync(`/proc/${pid}/root`) === "/") return false;
    const program = basename(readlinkSync(`/proc/${pid}/exe`));
    return program !== basename(unshare) && program !== basename(setpriv);
  } catch {
    return false;
  }
}

/** Whether its system calls are filtered. */
function isFiltered(status: string): boolean {
  return /^Seccomp:\s*2$/m.test(status);
}

/** Of /proc/PID/status to setpriv(1). */
export function privilegesIn(status: string, { setpriv, rootless }: Tools): readonly string[] {
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*)$`, "m").exec(status)?.[1] ?? "";
  const [uid = "0"] = field("Uid").split(/\s+/);
  const [gid = "0"] = field("Gid").split(/\s+/);
  const groups = field("Groups").trim().split(/\s+/).filter(Boolean);
  const bounding = BigInt(`0x${field("CapBnd").trim() || "0"}`);
  const numbers = Array.from({ length: 64 }, (_, bit) => bit);
  const kept = numbers.filter((bit) => (bounding >> BigInt(bit)) & 1n);
  return [
    setpriv,
    `--bounding-set=${["-all", ...kept.map((bit) => `+cap_${bit}`)].join(",")}`,
    ...(rootless
      ? NO_RIGHTS
      : [
          `--reuid=${uid}`,
          `--regid=${gid}`,
          groups.length === 0 ? "--clear-groups" : `--groups=${groups.join(",")}`,
        ]),
    ...(field("NoNewPrivs").trim() === "1" ? ["--no-new-privs"] : []),
  ];
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return undefined;
  }
}
