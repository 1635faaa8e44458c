/**
 * Mounts and unmounts for the agent, which may not fork: a fork costs what its parent holds. One
 * shell is started when something is mounted for the first time, and does it all.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { withoutInherited } from "../../base/descriptors.ts";

const END = "\u0001";

export class Mounter {
  private shell: ChildProcess | undefined;
  private output = "";
  private readonly waiting: ((outcome: string | undefined) => void)[] = [];

  /** Undefined where it is mounted; else what was said instead. */
  mountMemory(directory: string, sizeBytes: number | undefined): Promise<string | undefined> {
    const options = sizeBytes === undefined ? [] : ["-o", `size=${sizeBytes}`];
    return this.run(["mount", "-t", "tmpfs", ...options, "tmpfs", directory]);
  }

  /** Also from under whoever still uses it. */
  unmount(directory: string): Promise<string | undefined> {
    return this.run(["umount", "-l", directory]);
  }

  close(): void {
    this.shell?.stdin?.end();
    this.shell = undefined;
  }

  private run(command: readonly string[]): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      this.shell ??= this.open();
      this.shell.stdin?.write(`${command.map(quoteWord).join(" ")} 2>&1; echo "${END}$?${END}"\n`);
    });
  }

  private open(): ChildProcess {
    const shell = withoutInherited(["pipe", "pipe", "ignore"], (stdio) =>
      spawn("/bin/sh", [], { stdio, cwd: "/" }),
    );
    shell.stdout?.on("data", (chunk: Buffer) => this.hear(chunk.toString()));
    shell.stdin?.on("error", () => {});
    shell.on("error", ({ message }) => this.lose(shell, message));
    shell.on("exit", () => this.lose(shell, "the shell that mounts is gone"));
    for (const stream of [shell.stdin, shell.stdout]) {
      if (stream && "unref" in stream && typeof stream.unref === "function") stream.unref();
    }
    shell.unref();
    return shell;
  }

  private hear(text: string): void {
    this.output += text;
    for (;;) {
      const [said, code, ...rest] = this.output.split(END);
      if (code === undefined || rest.length === 0) return;
      this.output = rest.join(END).replace(/^\n/, "");
      const outcome = code === "0" ? undefined : (said?.trim() ?? "");
      this.waiting.shift()?.(outcome === "" ? `exit code ${code}` : outcome);
    }
  }

  private lose(shell: ChildProcess, why: string): void {
    if (this.shell === shell) this.shell = undefined;
    this.output = "";
    for (const resolve of this.waiting.splice(0)) resolve(why);
  }
}

/** What is mounted in a directory or on it, the innermost first. */
export async function mountsBelow(directory: string): Promise<readonly string[]> {
  const table = await readFile("/proc/self/mountinfo", "utf8").catch(() => "");
  const places = table.split("\n").map((line) => decodeOctal(line.split(" ")[4] ?? ""));
  return places
    .filter((place) => place === directory || place.startsWith(`${directory}/`))
    .reverse();
}

/** Space, tab, newline and backslash are written in octal there. */
function decodeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

function quoteWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
