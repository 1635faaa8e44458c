/**
 * The progress of a long run: a file with one JSON line for each portion of seeds that was judged.
 * A run that is killed, even while it writes, continues with the missing portions.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Judged } from "./portion.ts";

/** A portion of the run, without the histories of its broken laws. */
export interface Done extends Omit<Judged, "broken"> {
  /** Seeds that broke a law. */
  readonly broken: readonly number[];
}

export class Progress {
  readonly done: Done[] = [];
  readonly firstSeed: number;

  /** Without a file nothing is stored. If the file exists, it determines the first seed. */
  constructor(
    firstSeed: number,
    private readonly file?: string,
  ) {
    const lines = file !== undefined && existsSync(file) ? readLines(file) : [];
    const [began] = lines.flatMap((line) => ("firstSeed" in line ? [line] : []));
    this.firstSeed = began?.firstSeed ?? firstSeed;
    this.done.push(...lines.flatMap((line) => ("count" in line ? [line] : [])));
    if (!began) this.#write({ firstSeed });
  }

  add({ broken, ...figures }: Judged): void {
    const portion = { ...figures, broken: [...new Set(broken.map(({ seed }) => seed))] };
    this.done.push(portion);
    this.#write(portion);
  }

  has(first: number): boolean {
    return this.done.some((portion) => portion.first === first);
  }

  totals() {
    const sum = (of: (portion: Done) => number) =>
      this.done.reduce((total, portion) => total + of(portion), 0);
    return {
      histories: sum(({ count }) => count),
      syncs: sum(({ syncs }) => syncs),
      spentSeconds: Math.round(sum(({ spentMs }) => spentMs) / 1000),
      broken: this.done.flatMap(({ broken }) => broken),
    };
  }

  /** The leading line break ends a line that was truncated. */
  #write(line: Line): void {
    if (this.file !== undefined) appendFileSync(this.file, `\n${JSON.stringify(line)}\n`);
  }
}

type Line = Done | { readonly firstSeed: number };

function readLines(file: string): Line[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line) => parseLine(line) ?? []);
}

function parseLine(text: string): Line | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
