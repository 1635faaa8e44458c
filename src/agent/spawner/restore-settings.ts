/**
 * Pure: how a process gets the umask and the limits of its run from a slot, which has those of the
 * spawner. The fork of the slot sets what differs, in shell, which takes no measurable time beside
 * the fork. What a shell cannot set, prlimit(1) does, at the price of one more exec.
 */
import {
  type Amount,
  formatRange,
  isMore,
  isSameRange,
  type ProcessLimits,
  parseLimits,
  type Range,
} from "../../base/process-limits.ts";
import type { OrderedSettings } from "./protocol.ts";

export interface Restored {
  /** Absent: that of the slot. */
  readonly umask?: number;
  /** Those that differ from the slot's. */
  readonly limits: readonly (readonly [name: string, range: Range])[];
  /** Commands for the fork, each followed by "&&"; empty where nothing differs. */
  readonly shell: string;
  /** Words before the command. */
  readonly prefix: readonly string[];
  /** Limits that cannot be had, for people. */
  readonly unmet: readonly string[];
}

export interface Means {
  readonly umask: number;
  readonly limits: ProcessLimits;
  /** What the shell of the slots sets besides what all shells do. */
  readonly isDash: boolean;
  /** Where prlimit(1) is. */
  readonly prlimit?: string;
  /** Whether a hard limit can be raised this far. */
  readonly canRaise: (way: Way) => boolean;
}

/** One limit, set in shell or by prlimit. */
export type Way = { readonly shell: readonly string[] } | { readonly flag: string };

export const UNCHANGED: Restored = { limits: [], shell: "", prefix: [], unmet: [] };

export function decideRestore({ umask, limits }: OrderedSettings, means: Means): Restored {
  const mask = Number.parseInt(umask, 8);
  const commands = mask === means.umask ? [] : [`umask ${mask.toString(8).padStart(4, "0")}`];
  const flags: string[] = [];
  const unmet: string[] = [];
  const set: [string, Range][] = [];
  for (const [name, wanted] of parseLimits(limits)) {
    const own = means.limits.get(name);
    if (own === undefined || isSameRange(own, wanted)) continue;
    const { way, given } = decideLimit(name, wanted, own, means);
    if (!isSameRange(given, wanted)) unmet.push(unmetText(name, wanted, given));
    if (way === undefined) continue;
    set.push([name, given]);
    if ("flag" in way) flags.push(way.flag);
    else commands.push(...way.shell);
  }
  const prefix = flags.length > 0 ? [means.prlimit ?? "", ...flags] : [];
  return {
    ...(mask === means.umask ? {} : { umask: mask }),
    limits: set,
    shell: commands.map((each) => `${each}&&`).join(""),
    prefix,
    unmet,
  };
}

interface Decided {
  /** Absent: it stays as the spawner has it. */
  readonly way?: Way;
  readonly given: Range;
}

/** As asked for; where that cannot be, as close to it as the spawner's own hard limit allows. */
function decideLimit(name: string, wanted: Range, own: Range, means: Means): Decided {
  const isRaised = isMore(wanted.hard, own.hard);
  const way = findWay(name, wanted, own, means);
  if (way !== undefined && (!isRaised || means.canRaise(way))) return { way, given: wanted };
  if (!isRaised) return { given: own };
  const nearest = { soft: least(wanted.soft, own.hard), hard: own.hard };
  const nearestWay = findWay(name, nearest, own, means);
  return nearestWay === undefined ? { given: own } : { way: nearestWay, given: nearest };
}

function least(one: Amount, other: Amount): Amount {
  return isMore(one, other) ? other : one;
}

/** The flag of ulimit and the bytes that it counts in, of every shell; then of dash alone. */
const FLAGS: { readonly [name: string]: readonly [flag: string, unit: bigint] } = {
  core: ["c", 512n],
  cpu: ["t", 1n],
  data: ["d", 1024n],
  fsize: ["f", 512n],
  memlock: ["l", 1024n],
  nofile: ["n", 1n],
  rss: ["m", 1024n],
  stack: ["s", 1024n],
  as: ["v", 1024n],
};
const DASH_FLAGS: typeof FLAGS = { nproc: ["p", 1n], locks: ["w", 1n], rtprio: ["r", 1n] };

/** The fork opens the files of the command after it has set its limits. */
const FILES_OF_SHELL = 64n;

function findWay(name: string, wanted: Range, own: Range, means: Means): Way | undefined {
  const [flag, unit] = FLAGS[name] ?? (means.isDash ? DASH_FLAGS[name] : undefined) ?? [];
  const soft = wordOf(wanted.soft, unit);
  const hard = wordOf(wanted.hard, unit);
  const isTight = name === "nofile" && isMore(FILES_OF_SHELL, wanted.soft);
  if (flag !== undefined && soft !== undefined && hard !== undefined && !isTight) {
    return { shell: ulimits(flag, { soft, hard }, wanted, own) };
  }
  if (means.prlimit === undefined) return undefined;
  return { flag: `--${name}=${formatRange(wanted)}` };
}

/** A soft limit may never be above the hard one, not even in between. */
function ulimits(
  flag: string,
  { soft, hard }: { readonly soft: string; readonly hard: string },
  wanted: Range,
  own: Range,
): readonly string[] {
  if (soft === hard) return [`ulimit -${flag} ${hard}`];
  const setSoft = `ulimit -S -${flag} ${soft}`;
  if (wanted.hard === own.hard) return [setSoft];
  const setHard = `ulimit -H -${flag} ${hard}`;
  return isMore(wanted.hard, own.hard) ? [setHard, setSoft] : [setSoft, setHard];
}

/** Undefined where the shell would round it. */
function wordOf(amount: Amount, unit = 1n): string | undefined {
  if (amount === "unlimited") return amount;
  return amount % unit === 0n ? `${amount / unit}` : undefined;
}

function unmetText(name: string, wanted: Range, given: Range): string {
  return wanted.hard === given.hard
    ? `${name} ${wanted.soft} (here ${given.soft})`
    : `${name} ${wanted.hard} (here ${given.hard})`;
}
