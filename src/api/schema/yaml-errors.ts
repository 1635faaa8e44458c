/** Pure: the errors of a YAML text, in the wording of Go's yaml library. */
import type { YAMLParseError } from "yaml";

/** "yaml: line 3: mapping values are not allowed in this context" */
export class YamlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "YamlError";
  }
}

export function yamlError(problem: string): YamlError {
  return new YamlError(`yaml: ${problem}`);
}

export function yamlSyntaxError(error: YAMLParseError, text: string): YamlError {
  const fault = RULES.find(([code, message]) => code === error.code && message.test(error.message));
  if (fault === undefined) return yamlError("unknown problem parsing YAML content");
  const [, , stage, problem, position] = fault;
  const at = position?.(text, error.pos) ?? error.pos[0];
  return yamlError(`${lineOf(text, at, stage)}${problem}`);
}

/** Go's scanner counts lines from one, its parser from zero; neither reports the first line. */
type Stage = "scanner" | "parser";

function lineOf(text: string, at: number, stage: Stage): string {
  const line = text.slice(0, at).split("\n").length - 1;
  if (line === 0) return "";
  return `line ${stage === "scanner" ? line + 1 : line}: `;
}

type Position = (text: string, pos: readonly [number, number]) => number;

const nextColon: Position = (text, [start]) => {
  const offset = text.slice(start).search(/:(?:\s|$)/);
  return offset < 0 ? start : start + offset;
};
const nextToken: Position = (text, [start]) => {
  const rest = text.slice(start);
  const key = /^.*\n?(?:[ \t]*(?:#.*)?\n)*[ \t]*/.exec(rest)?.[0] ?? "";
  return start + key.length;
};
const endOfText: Position = (text) => text.length;

const NO_TOKEN = "found character that cannot start any token";
const NO_NODE = "did not find expected node content";

/** The errors of the parser, each in the wording of libyaml. The first match counts. */
const RULES: readonly (readonly [
  code: string,
  message: RegExp,
  stage: Stage,
  problem: string,
  position?: Position,
])[] = [
  [
    "BLOCK_AS_IMPLICIT_KEY",
    /./,
    "scanner",
    "mapping values are not allowed in this context",
    nextColon,
  ],
  ["MISSING_CHAR", /Implicit map keys/, "scanner", "could not find expected ':'", nextToken],
  ["MISSING_CHAR", /closing .quote/, "scanner", "found unexpected end of stream", endOfText],
  ["MISSING_CHAR", /Sequence item/, "parser", "did not find expected '-' indicator"],
  ["MISSING_CHAR", /Flow map/, "parser", "did not find expected ',' or '}'"],
  ["MISSING_CHAR", /Flow seq/, "parser", "did not find expected ',' or ']'"],
  ["MISSING_CHAR", /./, "parser", "did not find expected ',' or '}'"],
  ["BAD_INDENT", /Flow map/, "parser", "did not find expected ',' or '}'"],
  ["BAD_INDENT", /Flow seq/, "parser", "did not find expected ',' or ']'"],
  ["BAD_INDENT", /./, "parser", "did not find expected key"],
  ["BLOCK_IN_FLOW", /./, "parser", "did not find expected ',' or ']'"],
  ["TAB_AS_INDENT", /./, "scanner", NO_TOKEN],
  ["BAD_SCALAR_START", /flow indicator/, "parser", NO_NODE],
  ["BAD_SCALAR_START", /./, "scanner", NO_TOKEN],
  ["BAD_DQ_ESCAPE", /\\[xuU]/, "scanner", "did not find expected hexdecimal number"],
  ["BAD_DQ_ESCAPE", /./, "scanner", "found unknown escape character"],
  ["MULTILINE_IMPLICIT_KEY", /./, "parser", "did not find expected key"],
  [
    "UNEXPECTED_TOKEN",
    /block-seq-ind/,
    "scanner",
    "block sequence entries are not allowed in this context",
  ],
  [
    "UNEXPECTED_TOKEN",
    /Block scalar header/,
    "scanner",
    "did not find expected comment or line break",
  ],
  ["UNEXPECTED_TOKEN", /at node end/, "parser", "did not find expected '-' indicator"],
  ["UNEXPECTED_TOKEN", /./, "parser", NO_NODE],
  ["BAD_ALIAS", /./, "scanner", "did not find expected alphabetic or numeric character"],
  ["BAD_DIRECTIVE", /./, "scanner", "found unknown directive name"],
  ["TAG_RESOLVE_FAILED", /./, "parser", "found undefined tag handle"],
];
