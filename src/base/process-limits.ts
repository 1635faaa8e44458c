/**
 * Pure: the resource limits of a process, parsed from /proc/PID/limits and as one line of text:
 * "core=0:unlimited nofile=1024:4096", the soft limit before the hard one. The names are those of
 * prlimit(1).
 */

export type Amount = bigint | "unlimited";

export interface Range {
  readonly soft: Amount;
  readonly hard: Amount;
}

/** By name; absent if the system does not report the limit. */
export type ProcessLimits = ReadonlyMap<string, Range>;

const NAMES: { readonly [title: string]: string } = {
  "Max cpu time": "cpu",
  "Max file size": "fsize",
  "Max data size": "data",
  "Max stack size": "stack",
  "Max core file size": "core",
  "Max resident set": "rss",
  "Max processes": "nproc",
  "Max open files": "nofile",
  "Max locked memory": "memlock",
  "Max address space": "as",
  "Max file locks": "locks",
  "Max pending signals": "sigpending",
  "Max msgqueue size": "msgqueue",
  "Max nice priority": "nice",
  "Max realtime priority": "rtprio",
  "Max realtime timeout": "rttime",
};

const LINE = /^(.+?) {2,}(unlimited|\d+) +(unlimited|\d+)\b/;

/** Parses the text of /proc/PID/limits. */
export function readProcLimits(text: string): ProcessLimits {
  const limits = new Map<string, Range>();
  for (const line of text.split("\n")) {
    const [, title = "", soft = "", hard = ""] = LINE.exec(line) ?? [];
    const name = NAMES[title];
    if (name !== undefined) limits.set(name, { soft: parseAmount(soft), hard: parseAmount(hard) });
  }
  return limits;
}

export function formatLimits(limits: ProcessLimits): string {
  return [...limits].map(([name, range]) => `${name}=${formatRange(range)}`).join(" ");
}

export function formatRange({ soft, hard }: Range): string {
  return `${soft}:${hard}`;
}

const ENTRY = /^([a-z]+)=(unlimited|\d+):(unlimited|\d+)$/;

/** Invalid entries are skipped. */
export function parseLimits(text: string): ProcessLimits {
  const limits = new Map<string, Range>();
  for (const entry of text.split(" ")) {
    const [, name, soft = "", hard = ""] = ENTRY.exec(entry) ?? [];
    if (name === undefined || !KNOWN.has(name)) continue;
    limits.set(name, { soft: parseAmount(soft), hard: parseAmount(hard) });
  }
  return limits;
}

const KNOWN: ReadonlySet<string> = new Set(Object.values(NAMES));

function parseAmount(text: string): Amount {
  return text === "unlimited" ? text : BigInt(text);
}

export function isMore(one: Amount, other: Amount): boolean {
  if (other === "unlimited") return false;
  return one === "unlimited" || one > other;
}

export function isSameRange(one: Range | undefined, other: Range | undefined): boolean {
  return one?.soft === other?.soft && one?.hard === other?.hard;
}
