/** What the slots have of the spawner, and how a run gets its own umask and limits instead. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { type ProcessLimits, readProcLimits } from "../../base/process-limits.ts";
import type { StartOrder } from "./protocol.ts";
import {
  decideRestore,
  type Means,
  type Restored,
  UNCHANGED,
  type Way,
} from "./restore-settings.ts";
import { ENV, type ScriptFacts } from "./script.ts";
import { SHELL } from "./slot.ts";

export class ProcessSettings {
  private readonly means: Means = {
    umask: process.umask(),
    limits: readOwnLimits(),
    isDash: SHELL.endsWith("dash"),
    ...findPrlimit(),
    canRaise,
  };
  /** Thousands of starts are of one run. */
  private readonly known = new Map<string, Restored>();
  private splits: boolean | undefined;

  factsOf(order: StartOrder): Pick<ScriptFacts, "restored" | "envSplits"> {
    return { restored: this.restore(order), envSplits: () => this.envSplits() };
  }

  private restore({ settings }: StartOrder): Restored {
    if (settings === undefined) return UNCHANGED;
    const key = `${settings.umask} ${settings.limits}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    const restored = decideRestore(settings, this.means);
    this.known.set(key, restored);
    return restored;
  }

  /** Whether env(1) has -S, which takes values from variables: that of busybox has not. */
  private envSplits(): boolean {
    this.splits ??= succeeds(ENV, ["-S", `${SHELL} -c :`]);
    return this.splits;
  }

  /** As it is told of a start. */
  unmet(order: StartOrder): { readonly unmet?: readonly string[] } {
    const { unmet } = this.restore(order);
    return unmet.length === 0 ? {} : { unmet };
  }
}

const MOST_KNOWN = 1000;

function readOwnLimits(): ProcessLimits {
  try {
    return readProcLimits(readFileSync("/proc/self/limits", "latin1"));
  } catch {
    return new Map();
  }
}

function findPrlimit(): Pick<Means, "prlimit"> {
  const prlimit = ["/usr/bin/prlimit", "/bin/prlimit"].find((file) => existsSync(file));
  return prlimit === undefined ? {} : { prlimit };
}

/** Capabilities do not tell: in a user namespace, and above what the kernel has, it is refused. */
function canRaise(way: Way): boolean {
  if ("shell" in way) return succeeds(SHELL, ["-c", way.shell.join("&&")]);
  return succeeds(findPrlimit().prlimit ?? "", [way.flag, SHELL, "-c", ":"]);
}

function succeeds(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore", env: {} }).status === 0;
}
