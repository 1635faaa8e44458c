/** Reads the list of a run from its flags, the files they name and the words after ":::". */

import { ITEM_PARAMETER, type WorkList } from "../../api/work-list/work-list.ts";
import { describeError } from "../../base/describe-error.ts";
import type { Random } from "../../base/random.ts";
import { UsageError } from "../../base/usage-error.ts";
import type { Placeholders, RunRequest } from "../compose/run-request.ts";
import { batchList } from "./batch.ts";
import { joinColumns, type NamedColumn, shuffleList } from "./columns.ts";
import { decodeInput, type SourceText } from "./input.ts";
import { parseJsonLines } from "./json-lines.ts";
import { parseLines, parseNulSeparated } from "./lines.ts";
import { type ArgumentSource, combine, splitSources } from "./products.ts";
import { parseRange } from "./range.ts";
import { parseCsv, parseTsv } from "./table.ts";
import {
  parseFileValues,
  parseNamedValues,
  parseTypedValues,
  parseValueSource,
  type ValueRules,
  type ValueSource,
} from "./values.ts";

export interface ListFlags {
  readonly perCompletionEnv?: readonly string[];
  readonly perCompletionArg?: readonly string[];
  readonly lines?: boolean;
  readonly items?: string;
  readonly null?: boolean;
  readonly csv?: string;
  readonly tsv?: string;
  readonly jsonl?: string;
  readonly range?: string;
  readonly commands?: string;
  readonly batch?: string;
  readonly itemText?: string;
  readonly shuffle?: boolean;
  readonly skipPlaceholderCheck?: boolean;
}

export interface ListSurroundings {
  readonly random: Random;
  readonly readBytes: (file: string) => Promise<Uint8Array>;
}

type ReadFields = "list" | "placeholders" | "appended" | "command" | "skipsPlaceholderCheck";

export type ReadList = Pick<RunRequest, ReadFields> & {
  readonly notices: readonly string[];
};

/** @param words the command, and lists after it */
export async function readList(
  words: readonly string[],
  flags: ListFlags,
  surroundings: ListSurroundings,
): Promise<ReadList> {
  const { command, sources } = splitSources(words);
  const batchSize = readBatchSize(flags);
  const main = await readMainSource(command, sources, flags, surroundings);
  const more = await readParameters(flags, surroundings);
  const appended = more.flatMap(({ isArgument, name }) => (isArgument ? [name] : []));
  const joined = joinSources(main, more);
  const { random } = surroundings;
  const ordered =
    joined && flags.shuffle ? shuffleList(joined, (limit) => random.below(limit)) : joined;
  const list = ordered && batchSize > 1 ? batchList(ordered, batchSize, appended) : ordered;
  return {
    command: main?.command ?? command,
    ...(list ? { list } : {}),
    ...(appended.length > 0 ? { appended } : {}),
    placeholders: withMissingItem(main?.placeholders ?? {}, flags),
    ...(flags.skipPlaceholderCheck ? { skipsPlaceholderCheck: true } : {}),
    notices: main?.notices ?? [],
  };
}

function withMissingItem(placeholders: Placeholders, { itemText }: ListFlags): Placeholders {
  if (placeholders.item !== undefined || itemText === undefined) return placeholders;
  return { ...placeholders, missingItem: itemText };
}

interface MainSource {
  readonly flag: string;
  readonly list: WorkList;
  readonly placeholders: Placeholders;
  readonly notices?: readonly string[];
  /** Present if the source changes the command. */
  readonly command?: readonly string[];
}

/** The name of a parameter that holds a complete command. */
const COMMAND_PARAMETER = "COMMAND_LINE";

async function readMainSource(
  command: readonly string[],
  sources: readonly ArgumentSource[],
  flags: ListFlags,
  { readBytes }: ListSurroundings,
): Promise<MainSource | undefined> {
  const read = async (file: string): Promise<SourceText> => readText(file, readBytes);
  const unnamed = (parameters: readonly string[]): Placeholders => {
    return { parameters, item: flags.itemText ?? "{}", appendsItem: true };
  };
  const single = (flag: string, values: readonly string[]): MainSource => ({
    flag,
    list: { parameters: [ITEM_PARAMETER], columns: [values] },
    placeholders: unnamed([ITEM_PARAMETER]),
  });
  const fromStdin = flags.items ?? findImplicitStdin(command, sources, flags);
  const [chosen, second] = [
    ...(fromStdin === undefined ? [] : ["-a"]),
    ...NAMED_FLAGS.filter((flag) => flags[flag] !== undefined).map((flag) => `--${flag}`),
    ...(sources.length > 0 ? [":::"] : []),
  ];
  if (second !== undefined) throw new UsageError(`${chosen} and ${second} are two lists: use one`);
  switch (chosen) {
    case "-a": {
      const text = await read(fromStdin ?? "-");
      return single("-a", flags.null ? parseNulSeparated(text) : parseLines(text));
    }
    case "--csv":
      return { flag: chosen, placeholders: {}, ...parseCsv(await read(flags.csv ?? "")) };
    case "--tsv":
      return { flag: chosen, placeholders: {}, ...parseTsv(await read(flags.tsv ?? "")) };
    case "--jsonl": {
      const list = parseJsonLines(await read(flags.jsonl ?? ""));
      const isUnnamed = list.parameters[0] === ITEM_PARAMETER && list.parameters.length === 1;
      return { flag: chosen, list, placeholders: isUnnamed ? unnamed(list.parameters) : {} };
    }
    case "--range":
      return single(chosen, parseRange(flags.range ?? ""));
    case "--commands":
      return commandSource(command, parseLines(await read(flags.commands ?? "")));
    case ":::": {
      const list = combine(await Promise.all(sources.map((source) => valuesOf(source, read))));
      const placeholders = { ...unnamed(list.parameters), hasPositions: true };
      return { flag: chosen, list, placeholders };
    }
    default:
      return undefined;
  }
}

const NAMED_FLAGS = ["csv", "tsv", "jsonl", "range", "commands"] as const;

/** If there is no list, "{}" and -0 can only refer to stdin. */
function findImplicitStdin(
  command: readonly string[],
  sources: readonly ArgumentSource[],
  flags: ListFlags,
): string | undefined {
  const hasOther =
    sources.length > 0 ||
    flags.perCompletionEnv !== undefined ||
    NAMED_FLAGS.some((flag) => flags[flag] !== undefined);
  if (hasOther) return undefined;
  const item = flags.itemText ?? "{}";
  return flags.null || command.some((word) => word.includes(item)) ? "-" : undefined;
}

/** Each line is a script for sh, or the last argument of the command. */
function commandSource(command: readonly string[], lines: readonly string[]): MainSource {
  const words = command.length > 0 ? command : ["sh", "-c"];
  return {
    flag: "--commands",
    list: { parameters: [COMMAND_PARAMETER], columns: [lines] },
    placeholders: { parameters: [COMMAND_PARAMETER], appendsItem: true },
    command: words,
  };
}

async function valuesOf(
  { isLinked, areFiles, words }: ArgumentSource,
  read: (file: string) => Promise<SourceText>,
): Promise<{ readonly isLinked: boolean; readonly values: readonly string[] }> {
  if (!areFiles) return { isLinked, values: words };
  const texts = await Promise.all(words.map(read));
  return { isLinked, values: texts.flatMap(parseLines) };
}

interface Parameter extends NamedColumn {
  readonly isArgument: boolean;
}

async function readParameters(
  { perCompletionEnv = [], perCompletionArg = [], lines }: ListFlags,
  { readBytes }: ListSurroundings,
): Promise<readonly Parameter[]> {
  const byLines = lines === true;
  const read = async (values: ValueSource, rules: ValueRules): Promise<readonly string[]> => {
    if (values.kind === "text") return parseTypedValues(values.text, rules);
    return parseFileValues(await readText(values.file, readBytes), rules);
  };
  const variables = perCompletionEnv.map(async (given) => {
    const { name, values } = parseNamedValues(given);
    const flag = `--per-completion-env ${name}`;
    return {
      flag,
      name,
      values: await read(values, { byLines, mayBeEmpty: false }),
      isArgument: false,
    };
  });
  const further = perCompletionArg.map(async (given, at) => {
    const values = await read(parseValueSource(given), { byLines, mayBeEmpty: true });
    const flag =
      perCompletionArg.length === 1 ? "--per-completion-arg" : `--per-completion-arg ${at + 1}`;
    return { flag, name: `ARG_${at + 1}`, values, isArgument: true };
  });
  return Promise.all([...variables, ...further]);
}

function joinSources(
  main: MainSource | undefined,
  more: readonly NamedColumn[],
): WorkList | undefined {
  if (more.length === 0) return main?.list;
  const own = main?.list.parameters.map((name, at) => {
    return { flag: main.flag, name, values: main.list.columns[at] ?? [] };
  });
  return joinColumns([...(own ?? []), ...more]);
}

function readBatchSize({ batch = "1" }: ListFlags): number {
  if (/^[1-9]\d{0,8}$/.test(batch)) return Number(batch);
  throw new UsageError(`--batch must be a number of items, not ${JSON.stringify(batch)}`);
}

async function readText(
  file: string,
  readBytes: (file: string) => Promise<Uint8Array>,
): Promise<SourceText> {
  const source = file === "-" ? "stdin" : file;
  let bytes: Uint8Array;
  try {
    bytes = await readBytes(file);
  } catch (error) {
    throw new UsageError(`cannot read ${source}: ${readFailure(error)}`, { cause: error });
  }
  return decodeInput({ source, bytes });
}

const WORDS: { readonly [code: string]: string } = {
  ENOENT: "there is no such file",
  EISDIR: "it is a directory",
  EACCES: "it may not be read",
};

function readFailure(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return WORDS[code] ?? describeError(error);
}
