/**
 * The rules of STYLE.md that a program can check. Each takes sources and returns offences. Rules
 * that need a syntax tree (any, !, enum, default exports, long functions) are left to Biome, and
 * tidy.test.ts checks that Biome is configured to enforce them.
 */
import type { Import, SourceFile } from "./source.ts";
import {
  BANNED_FOLDERS,
  BANNED_WORDS,
  IMPURE,
  LAYERS,
  MAX_FILE_LINES,
  MAX_LINE_LENGTH,
  PURE_FOLDERS,
  PURE_PACKAGES,
} from "./tables.ts";

export interface Offence {
  readonly path: string;
  /** 0 if the offence concerns the whole file. */
  readonly line: number;
  readonly problem: string;
}

export type Rule = (files: readonly SourceFile[]) => Offence[];

export const isTest = (path: string): boolean => path.endsWith(".test.ts");
export const isGenerated = (path: string): boolean => path.startsWith("src/api/generated/");

export const fileLength: Rule = (files) =>
  files
    .filter(({ lines }) => lines.length - 1 > MAX_FILE_LINES)
    .map(({ path, lines }) => ({
      path,
      line: 0,
      problem: `${lines.length - 1} lines, at most ${MAX_FILE_LINES}: find the second idea in it`,
    }));

export const lineLength: Rule = (files) =>
  eachLine(files, "lines", (line) => {
    // An astral character counts as one, as a reader sees it.
    const length = [...line].length;
    if (length <= MAX_LINE_LENGTH || isOneText(line)) return undefined;
    return `${length} characters, at most ${MAX_LINE_LENGTH}: break the line`;
  });

/** A message may have a line of its own of any length, so that a search finds the whole of it. */
function isOneText(line: string): boolean {
  return /^\s*(["'`])(?:(?!\1).)*\1[\])},;]*$/.test(line);
}

export const opening: Rule = (files) =>
  files
    .filter(({ text }) => !/^(#!.*\n)?(\/\*\*|\/\/)/.test(text))
    .map(({ path }) => ({
      path,
      line: 1,
      problem: "opens without a comment that says what it is",
    }));

export const bannedWords: Rule = (files) =>
  eachLine(files, "lines", (line) => {
    const found = BANNED_WORDS.find(({ pattern }) => pattern.test(line));
    return found && `${found.what}: ${found.remedy}`;
  });

export const folderNames: Rule = (files) =>
  files.flatMap(({ path }) => {
    const [name, ...folders] = path.split("/").reverse();
    const banned = [...folders, name?.split(".")[0]].find((each) =>
      BANNED_FOLDERS.includes(each ?? ""),
    );
    const problem =
      name === "index.ts"
        ? "a barrel: import the file that has it"
        : banned && `"${banned}" is too vague: use a noun of the domain`;
    return problem ? [{ path, line: 0, problem }] : [];
  });

export const barrels: Rule = (files) =>
  eachLine(files, "code", (line) =>
    /^\s*export\s*\*/.test(line) ? "exports another file whole: import that file" : undefined,
  );

/** A wait that times out must print what it waited for. */
export const silentWaits: Rule = (files) =>
  eachLine(
    files.filter(({ path }) => path !== EXPLAINED_POLL),
    "code",
    (line) =>
      /(?:^\s*|\bexpect)\.poll\(/.test(line)
        ? `gives up without a reason: use poll of ${EXPLAINED_POLL}`
        : undefined,
  );

const EXPLAINED_POLL = "test/support/poll.ts";

/** Checks imports against the table of layers. */
export const importDirection: Rule = (files) =>
  eachImport(files, (file, each) => {
    if (each.target === undefined) return undefined;
    if (!each.specifier.endsWith(".ts")) return `"${each.specifier}": name the file with its .ts`;
    const from = layerOf(file.path);
    const to = layerOf(each.target);
    if (from === to) return undefined;
    if (!each.target.startsWith("src/")) return `src imports ${each.target}, which is not shipped`;
    const layer = LAYERS[from];
    if (layer === undefined) return `"${from}" is in no row of the import table`;
    const allowed = [...layer.imports, ...(layer.exceptions?.[file.path] ?? [])];
    if (allowed.includes(to)) return undefined;
    return `${from} imports ${to} (may import: ${allowed.join(", ") || "nothing"})`;
  });

/** "src/api/names.ts" belongs to "api", "src/main.ts" to "main.ts". */
function layerOf(path: string): string {
  return path.split("/")[1] ?? "";
}

/** Type imports count too: two files that need each other's types should be one file, or three. */
export const importCycles: Rule = (files) => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const offences: Offence[] = [];
  const visit = (path: string, trail: readonly string[]) => {
    if (trail.includes(path)) {
      const cycle = [...trail.slice(trail.indexOf(path)), path];
      offences.push({ path, line: 0, problem: `import cycle: ${cycle.join(" -> ")}` });
      return;
    }
    if (done.has(path)) return;
    for (const { target } of byPath.get(path)?.imports ?? []) {
      if (target !== undefined) visit(target, [...trail, path]);
    }
    done.add(path);
  };
  for (const { path } of files) visit(path, []);
  return offences;
};

export const purity: Rule = (files) => {
  const pure = new Set(files.filter(isPure).map(({ path }) => path));
  const sources = files.filter(({ path }) => pure.has(path));
  const words = eachLine(sources, "code", (line) => {
    const found = IMPURE.find(({ pattern }) => pattern.test(line));
    return found && `a pure file uses ${found.what}: ${found.remedy}`;
  });
  const imports = eachImport(sources, (file, { specifier, target, isTypeOnly }) => {
    if (isTypeOnly || (target !== undefined && (pure.has(target) || isGenerated(target)))) return;
    if (target !== undefined) return `a pure file imports ${target}, which does not say it is pure`;
    const allowed = PURE_PACKAGES[specifier];
    if (allowed && (allowed.files === "any" || allowed.files.includes(file.path))) return;
    return `a pure file imports ${specifier}: pass what it gives as an argument`;
  });
  return [...words, ...imports];
};

/** A file is pure if its header says so, or if it is in a pure folder. */
export function isPure({ path, text }: SourceFile): boolean {
  return /^\/\*\*\s+(\*\s+)?Pure:/.test(text) || PURE_FOLDERS.includes(layerOf(path));
}

function eachLine(
  files: readonly SourceFile[],
  which: "code" | "lines",
  problemOf: (line: string) => string | undefined,
): Offence[] {
  return files.flatMap((file) =>
    file[which].flatMap((line, index) => {
      const problem = problemOf(line);
      return problem ? [{ path: file.path, line: index + 1, problem }] : [];
    }),
  );
}

function eachImport(
  files: readonly SourceFile[],
  problemOf: (file: SourceFile, each: Import) => string | undefined,
): Offence[] {
  return files.flatMap((file) =>
    file.imports.flatMap((each) => {
      const problem = problemOf(file, each);
      return problem ? [{ path: file.path, line: each.line, problem }] : [];
    }),
  );
}
