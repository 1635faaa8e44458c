/**
 * Pure: reads the list back out of a script. Only for runs of Tally 0.1, which stored no list
 * beside the script; to be removed with the next version.
 */

import { isParameterName, type WorkList } from "../../api/work-list/work-list.ts";
import { SHAPE } from "./script.ts";

/** Undefined for a script that was not made by composeScript. */
export function parseScript(script: string): WorkList | undefined {
  const shape = parseShape(script);
  const begin = script.indexOf(CASES);
  if (!shape || begin < 0) return undefined;
  const { parameters } = shape;
  const columns = parameters.map((): string[] => []);
  const reader = new WordReader(script, begin + CASES.length);
  for (let index = 0; reader.skip(`${index}) `); index++) {
    for (const [at, name] of parameters.entries()) {
      if (!reader.skip(`${at === 0 ? "" : " "}${name}=`)) return undefined;
      const value = reader.quoted();
      if (value === undefined) return undefined;
      columns[at]?.push(value);
    }
    if (!reader.skipArm()) return undefined;
  }
  return { ...shape, columns };
}

const CASES = " in\n";

function parseShape(script: string): Omit<WorkList, "columns"> | undefined {
  const at = script.indexOf(`\n${SHAPE}`);
  if (at < 0) return undefined;
  const from = at + 1 + SHAPE.length;
  try {
    const shape = JSON.parse(script.slice(from, script.indexOf("\n", from))) as WrittenShape;
    const { parameters, derived, batched } = shape;
    if (!parameters?.length || !parameters.every(isParameterName)) return undefined;
    if (derived && !derived.every(isParameterName)) return undefined;
    return {
      parameters,
      ...(derived ? { derived } : {}),
      ...(batched ? { isBatched: true as const } : {}),
    };
  } catch {
    return undefined;
  }
}

interface WrittenShape {
  readonly parameters?: readonly string[];
  readonly derived?: readonly string[];
  readonly batched?: boolean;
}

/** Reads the part of the shell grammar that the scripts use. */
class WordReader {
  constructor(
    private readonly text: string,
    private at: number,
  ) {}

  skip(expected: string): boolean {
    if (!this.text.startsWith(expected, this.at)) return false;
    this.at += expected.length;
    return true;
  }

  /** 'it'\''s' */
  quoted(): string | undefined {
    const parts: string[] = [];
    for (;;) {
      if (this.text[this.at] !== "'") return undefined;
      const end = this.text.indexOf("'", this.at + 1);
      if (end < 0) return undefined;
      parts.push(this.text.slice(this.at + 1, end));
      this.at = end + 1;
      if (!this.skip("\\'")) return parts.join("'");
    }
  }

  /** Skips the rest of an item: the words of its command, if it has its own. */
  skipArm(): boolean {
    for (;;) {
      if (this.skip(" ;;\n")) return true;
      const next = this.text[this.at];
      if (next === undefined) return false;
      if (next !== "'") this.at++;
      else if (this.quoted() === undefined) return false;
    }
  }
}
