/**
 * Copies what a container prints into the file of its run, where everybody who asks for logs looks.
 * The engine keeps a log of its own: a server that comes after another takes up by it, from the
 * byte at which the file ends.
 */

import { createWriteStream, mkdirSync, type WriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { type OutputFrame, OutputSplitter } from "./output-frames.ts";

export interface CopyTargets {
  readonly logFile: string;
  /** Where stderr goes instead. */
  readonly errorFile?: string;
  /** A terminal has one output, which comes as it is. */
  readonly hasTerminal: boolean;
}

/** Resolves when the container has no more to say. */
export async function copyOutput(
  source: Readable,
  targets: CopyTargets,
  { isTakenUp }: { readonly isTakenUp: boolean },
): Promise<void> {
  const out = new Target(targets.logFile);
  const err = targets.errorFile === undefined ? out : new Target(targets.errorFile);
  if (isTakenUp) for (const each of new Set([out, err])) await each.skipWhatIsThere();
  const splitter = new OutputSplitter();
  try {
    for await (const piece of source) {
      const bytes = piece as Buffer;
      const frames: readonly OutputFrame[] = targets.hasTerminal
        ? [{ isError: false, bytes }]
        : splitter.split(bytes);
      for (const frame of frames) await (frame.isError ? err : out).write(frame.bytes);
    }
  } catch {
    // The engine went away in the midst of it: whoever takes up the container takes up its log.
  } finally {
    for (const each of new Set([out, err])) await each.close();
  }
}

class Target {
  private readonly stream: WriteStream;
  private isBroken = false;
  private skip = 0;

  constructor(private readonly file: string) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.stream = createWriteStream(file, { flags: "a", mode: 0o600 });
    // A full disk costs the log, never the container.
    this.stream.on("error", () => {
      this.isBroken = true;
    });
  }

  async skipWhatIsThere(): Promise<void> {
    this.skip = await stat(this.file).then(
      ({ size }) => size,
      () => 0,
    );
  }

  async write(bytes: Buffer): Promise<void> {
    const fresh = bytes.subarray(Math.min(this.skip, bytes.length));
    this.skip -= bytes.length - fresh.length;
    if (fresh.length === 0 || this.isBroken) return;
    if (!this.stream.write(fresh)) await this.drained();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isBroken) resolve();
      else this.stream.end(() => resolve());
      this.stream.once("error", () => resolve());
    });
  }

  private drained(): Promise<void> {
    return new Promise((resolve) => {
      this.stream.once("drain", resolve);
      this.stream.once("close", resolve);
    });
  }
}
