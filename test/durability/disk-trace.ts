/** Records with strace what a process does to a database file: every byte, and every sync. */
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

export type DiskStep =
  /** Passed to the kernel: until the next sync any part of it may be on disk, in any order. */
  | { readonly kind: "write"; readonly at: number; readonly bytes: Buffer }
  /** Written with O_DSYNC: on disk when the call returns. */
  | { readonly kind: "commit"; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: "sync" }
  /**
   * The directory of the database gets its final name, permanently after the next directory sync.
   */
  | { readonly kind: "renamed" }
  | { readonly kind: "directory synced" }
  /** A line that the process printed. */
  | { readonly kind: "said"; readonly text: string };

const CALLS =
  "openat,close,lseek,fsync,fdatasync,msync,pwrite64,pwritev,write,writev,ftruncate,rename";

export async function traceDisk(
  command: readonly string[],
  log: string,
): Promise<readonly DiskStep[]> {
  const options = ["-f", "-xx", "-s", "400000", "-e", `trace=${CALLS}`, "-o", log];
  await promisify(execFile)("strace", [...options, ...command]);
  const steps: DiskStep[] = [];
  const files = new Map<string, OpenFile>();
  const begun = new Map<string, string>();
  for (const line of (await readFile(log, "latin1")).split("\n")) {
    const [pid = "", ...rest] = line.trim().split(/ +/);
    const text = rest.join(" ");
    // strace splits a call in two lines if another thread made a call meanwhile.
    if (text.endsWith("<unfinished ...>")) {
      begun.set(pid, text.slice(0, -"<unfinished ...>".length));
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(text);
    steps.push(...stepsOf(resumed ? (begun.get(pid) ?? "") + resumed[1] : text, files));
  }
  return steps;
}

interface OpenFile {
  readonly kind: "pages" | "commits" | "directory";
  position: number;
}

function stepsOf(text: string, files: Map<string, OpenFile>): DiskStep[] {
  const [, name = "", inside = "", result = ""] = /^(\w+)\((.*)\)\s+= (-?\d+)/.exec(text) ?? [];
  if (name === "openat") {
    const file = openedAs(inside);
    if (file) files.set(result, file);
    return [];
  }
  if (name === "rename") return inside.startsWith(`"${hex("/")}`) ? renamed(inside) : [];
  const descriptor = /^\d+/.exec(inside)?.[0] ?? "";
  if (name === "write" && descriptor === "1") return said(bytesIn(inside));
  const file = files.get(descriptor);
  if (!file || Number(result) < 0) return [];
  if (name === "close") files.delete(descriptor);
  if (name === "lseek") file.position = Number(result);
  if (name === "fsync" && file.kind === "directory") return [{ kind: "directory synced" }];
  if (name === "fsync" || name === "fdatasync") return [{ kind: "sync" }];
  if (name === "ftruncate" || name === "msync") throw new Error(`${name} is not replayed`);
  if (!name.includes("write") || file.kind === "directory") return [];
  const bytes = bytesIn(inside);
  if (bytes.length !== Number(result)) throw new Error(`${name} was cut short, or its trace was`);
  const isPlaced = name.startsWith("p");
  const at = isPlaced ? Number(/(\d+) ?$/.exec(inside)?.[1]) : file.position;
  if (!isPlaced) file.position += bytes.length;
  return [{ kind: file.kind === "commits" ? "commit" : "write", at, bytes }];
}

function openedAs(inside: string): OpenFile | undefined {
  const path = bytesIn(inside).toString();
  if (path.endsWith("/data.mdb")) {
    return { kind: inside.includes("O_DSYNC") ? "commits" : "pages", position: 0 };
  }
  const isDirectory = inside.endsWith("O_RDONLY|O_CLOEXEC") && path.endsWith("/data");
  return isDirectory ? { kind: "directory", position: 0 } : undefined;
}

function renamed(inside: string): DiskStep[] {
  return bytesIn(inside).toString().includes("store.new") ? [{ kind: "renamed" }] : [];
}

function said(bytes: Buffer): DiskStep[] {
  const lines = bytes.toString().trim().split("\n");
  return lines.map((text) => ({ kind: "said", text }));
}

/** All strings of a call, concatenated: with -xx each of their bytes is printed as "\x12". */
function bytesIn(inside: string): Buffer {
  const strings = inside.match(/"[^"]*"/g) ?? [];
  return Buffer.from(strings.join("").replaceAll(/["\\x]/g, ""), "hex");
}

function hex(text: string): string {
  return `\\x${Buffer.from(text).toString("hex")}`;
}
