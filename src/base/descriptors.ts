/**
 * Keeps programs that this process starts from inheriting open files. Node marks every file it
 * opens as close-on-exec. A native module may not (lmdb does not mark its database), and a shell or
 * `make` may have passed on open files. Node cannot mark those later. So the process that starts a
 * program replaces them by /dev/null, and a helper process of ours closes them before it starts
 * anything.
 */
import type { StdioOptions } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs";

type Stdio = Exclude<StdioOptions, string>;

const LAST_STANDARD = 2;
const CLOSE_ON_EXEC = 0o2000000;

/** Descriptors above the standard ones that a program started now would inherit. */
export function inheritable(): readonly number[] {
  try {
    return readdirSync("/proc/self/fd").map(Number).filter(isInheritable);
  } catch {
    // Unknown without /proc.
    return [];
  }
}

function isInheritable(descriptor: number): boolean {
  if (descriptor <= LAST_STANDARD) return false;
  try {
    const text = readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1");
    const flags = /^flags:\s*(\d+)$/m.exec(text)?.[1] ?? "0";
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // This was the descriptor that listed the directory; it is closed by now.
    return false;
  }
}

/** For a helper process that starts programs, to be called before it opens anything. */
export function closeInherited(): void {
  for (const descriptor of inheritable()) closeSync(descriptor);
}

/** Starts a program with /dev/null instead of every file that it would inherit. */
export function withoutInherited<T>(standard: Stdio, start: (stdio: Stdio) => T): T {
  const covered = inheritable();
  if (covered.length === 0) return start(standard);
  const nothing = openSync("/dev/null", "r+");
  try {
    const stdio: Stdio = [...standard];
    for (let at = stdio.length; at <= Math.max(...covered); at++) stdio.push("ignore");
    for (const descriptor of covered) stdio[descriptor] = nothing;
    return start(stdio);
  } finally {
    closeSync(nothing);
  }
}
