/** A log of what happened: printed when a world fails, and hashed to show that it repeats. */
import { createHash } from "node:crypto";

/** The end of a trace is the most useful part. */
const PRINTED_LINES = 60;

export class Trace {
  readonly #lines: string[] = [];

  add(atMs: number, line: string): void {
    this.#lines.push(`${(atMs / 1000).toFixed(3).padStart(9)} ${line}`);
  }

  /** The last lines, or the last ones that contain a text. */
  tail(about = ""): string {
    return this.#lines
      .filter((line) => line.includes(about))
      .slice(-PRINTED_LINES)
      .join("\n");
  }

  hash(): string {
    return createHash("sha256").update(this.#lines.join("\n")).digest("hex");
  }
}
