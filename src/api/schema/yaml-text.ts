/**
 * Pure: parses YAML 1.1 to the same tree as sigs.k8s.io/yaml.
 *
 * The library determines the structure. The meaning of plain scalars is decided here, because Go's
 * reader differs from all schemas of the library. Only the first document of a stream is used.
 */
import { isAlias, isMap, isScalar, isSeq, Lexer, type ParsedNode, parseDocument } from "yaml";
import { quote } from "../finding.ts";
import type { Json } from "../object.ts";
import { canonicalBase64 } from "./base64.ts";
import { parseExact } from "./json-exact.ts";
import { type ExactJson, NumberLiteral, type ParsedJson, setOwn, toPlain } from "./parsed-json.ts";
import { isTooDeep, MAX_YAML_DEPTH } from "./yaml-depth.ts";
import { YamlError, yamlError, yamlSyntaxError } from "./yaml-errors.ts";
import { resolveScalar } from "./yaml-scalars.ts";

export { YamlError } from "./yaml-errors.ts";
export { formatYaml } from "./yaml-format.ts";

export interface ParsedYaml extends ParsedJson {
  /** `line 5: key "name" already set in map`, one for each repeated key. */
  readonly repeatedKeys: readonly string[];
}

/** The text has more values than the given limit. */
export class TooManyValues extends Error {
  override readonly name = "TooManyValues";
}

/** The result of parsing YAML elsewhere: the tree, or the problem. */
export type ReadYaml = ParsedYaml | { readonly problem: string };

/** Throws the YamlError that parseYaml would have thrown. */
export function takeYaml(read: ReadYaml): ParsedYaml {
  if ("problem" in read) throw new YamlError(read.problem);
  return read;
}

/** From the JSON of a result of parseYaml. Literals are only kept if `isExact`. */
export function yamlFromJson(
  json: string,
  repeatedKeys: readonly string[],
  isExact: boolean,
): ParsedYaml {
  const exact = isExact ? integersOnly(parseExact(json)) : undefined;
  const value = exact === undefined ? (JSON.parse(json) as Json) : toPlain(exact);
  return { value, ...(exact === undefined ? {} : { exact }), ...complaints(repeatedKeys) };
}

/** In YAML only integers are kept as literals. */
function integersOnly(exact: ExactJson): ExactJson {
  if (exact === null || typeof exact !== "object") return exact;
  if (exact instanceof NumberLiteral) {
    return /^-?\d+$/.test(exact.text) ? exact : Number(exact.text);
  }
  if (Array.isArray(exact)) return exact.map(integersOnly);
  const out: { [key: string]: ExactJson } = {};
  for (const [key, value] of Object.entries(exact)) setOwn(out, key, integersOnly(value));
  return out;
}

/**
 * Throws YamlError: "yaml: mapping values are not allowed in this context". Throws TooManyValues,
 * at little cost, if the text has more values than the limit.
 */
export function parseYaml(text: string, mostValues = Number.POSITIVE_INFINITY): ParsedYaml {
  const walk: Walk = {
    text,
    mostValues,
    lineEnds: undefined,
    anchors: new Map(),
    expanding: new Set(),
    repeatedKeys: [],
    decoded: 0,
    aliased: 0,
    hasLiterals: false,
  };
  if (Number.isFinite(mostValues)) refuseMany(text, mostValues);
  const exact = readDocument(walk);
  return {
    value: toPlain(exact),
    ...(walk.hasLiterals ? { exact } : {}),
    ...complaints(walk.repeatedKeys),
  };
}

function complaints(repeatedKeys: readonly string[]): Pick<ParsedYaml, "repeatedKeys" | "strict"> {
  if (repeatedKeys.length === 0) return { repeatedKeys };
  const lines = repeatedKeys.map((line) => `\n  ${line}`).join("");
  return { repeatedKeys, strict: [`yaml: unmarshal errors:${lines}`] };
}

/** Finding the tokens takes a fraction of the time and memory of parsing the document. */
function refuseMany(text: string, mostValues: number): void {
  let tokens = 0;
  for (const token of new Lexer().lex(text)) {
    if (!VALUE_TOKENS.includes(token.charAt(0))) continue;
    tokens += 1;
    // Both parts of a pair are tokens.
    if (tokens > 2 * mostValues) throw new TooManyValues();
  }
}

/**
 * Characters that start a value: a text (which the lexer announces), quotes, brackets, dashes,
 * aliases.
 */
const VALUE_TOKENS = "\u001f\"'[{-*?|>";

interface Walk {
  readonly text: string;
  readonly mostValues: number;
  /** The positions of line ends, computed on demand. */
  lineEnds: number[] | undefined;
  readonly anchors: Map<string, ParsedNode>;
  /** Anchors whose node is being read through an alias. */
  readonly expanding: Set<string>;
  readonly repeatedKeys: string[];
  decoded: number;
  aliased: number;
  hasLiterals: boolean;
}

function readDocument(walk: Walk): ExactJson {
  if (isTooDeep(walk.text)) throw yamlError(`exceeded max depth of ${MAX_YAML_DEPTH}`);
  try {
    const document = parseDocument(walk.text, {
      version: "1.1",
      schema: "failsafe",
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: "silent",
    });
    const [error] = [...document.errors].sort((left, right) => left.pos[0] - right.pos[0]);
    if (error !== undefined) throw yamlSyntaxError(error, walk.text);
    return readNode(document.contents, walk);
  } catch (error) {
    if (error instanceof RangeError) throw yamlError(`exceeded max depth of ${MAX_YAML_DEPTH}`);
    throw error;
  }
}

function readNode(node: ParsedNode | null, walk: Walk): ExactJson {
  countNode(walk);
  if (node === null) return null;
  if (isAlias(node)) return readAlias(node.source, walk);
  if (node.anchor !== undefined) walk.anchors.set(node.anchor, node);
  if (isMap(node)) return readMap(node, walk);
  if (isSeq(node)) return node.items.map((item) => readNode(item as ParsedNode | null, walk));
  if (isScalar(node)) return readScalar(node, walk);
  return null;
}

/** Go's limits on alias expansion: a few bytes must not expand to gigabytes. */
const ALIAS_RATIO = { low: 400_000, high: 4_000_000, atLow: 0.99, atHigh: 0.1 };

function countNode(walk: Walk): void {
  walk.decoded += 1;
  if (walk.decoded > 2 * walk.mostValues) throw new TooManyValues();
  if (walk.expanding.size > 0) walk.aliased += 1;
  const { low, high, atLow, atHigh } = ALIAS_RATIO;
  const progress = Math.min(Math.max((walk.decoded - low) / (high - low), 0), 1);
  const allowed = atLow - (atLow - atHigh) * progress;
  const isBomb = walk.aliased > 100 && walk.decoded > 1000;
  if (isBomb && walk.aliased / walk.decoded > allowed) {
    throw yamlError("document contains excessive aliasing");
  }
}

function readAlias(name: string, walk: Walk): ExactJson {
  const target = walk.anchors.get(name);
  if (target === undefined) throw yamlError(`unknown anchor '${name}' referenced`);
  if (walk.expanding.has(name)) throw yamlError(`anchor '${name}' value contains itself`);
  walk.expanding.add(name);
  const value = readNode(target, walk);
  walk.expanding.delete(name);
  return value;
}

type MapNode = Extract<ParsedNode, { items: { key: unknown; value: unknown }[] }>;

function readMap(node: MapNode, walk: Walk): ExactJson {
  const out: { [key: string]: ExactJson } = {};
  for (const pair of node.items) {
    const key = pair.key as ParsedNode | null;
    const value = pair.value as ParsedNode | null;
    if (isMergeKey(key)) {
      mergeInto(out, value, walk);
      continue;
    }
    const name = keyName(readNode(key, walk));
    if (Object.hasOwn(out, name)) {
      const at = value?.range[0] ?? key?.range[1] ?? 0;
      walk.repeatedKeys.push(`line ${lineOf(walk, at)}: key ${quote(name)} already set in map`);
    }
    setOwn(out, name, readNode(value, walk));
  }
  return out;
}

/** A binary search in the line ends: counting lines for each repeated key would take n². */
function lineOf(walk: Walk, at: number): number {
  walk.lineEnds ??= [...walk.text.matchAll(/\n/g)].map(({ index }) => index);
  let [low, high] = [0, walk.lineEnds.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((walk.lineEnds[middle] ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

function isMergeKey(key: ParsedNode | null): boolean {
  return isScalar(key) && key.type === "PLAIN" && key.source === "<<" && key.tag === undefined;
}

function mergeInto(out: { [key: string]: ExactJson }, value: ParsedNode | null, walk: Walk): void {
  const sources = isSeq(value) ? [...value.items].reverse() : [value];
  for (const source of sources) {
    const merged = readNode(source as ParsedNode | null, walk);
    if (merged === null || typeof merged !== "object" || Array.isArray(merged)) {
      throw yamlError("map merge requires map or sequence of maps as the value");
    }
    for (const [key, item] of Object.entries(merged)) setOwn(out, key, item);
  }
}

/** Keys that are numbers or booleans become texts, as required by JSON. */
function keyName(key: ExactJson): string {
  if (key instanceof NumberLiteral) return key.text;
  if (key !== null && typeof key === "object") throw yamlError("invalid map key");
  return String(key);
}

type ScalarNode = Extract<ParsedNode, { source: string; value: unknown; type?: unknown }>;

const CORE_TAG = "tag:yaml.org,2002:";

function readScalar(node: ScalarNode, walk: Walk): ExactJson {
  const text = String(node.value ?? "");
  if (node.tag === undefined || node.tag === "!") {
    return node.type === "PLAIN" && node.tag === undefined ? readPlain(text, walk) : text;
  }
  if (!node.tag.startsWith(CORE_TAG)) return text;
  return readTagged(text, node.tag.slice(CORE_TAG.length), walk);
}

function readPlain(text: string, walk: Walk): ExactJson {
  const scalar = resolveScalar(text);
  switch (scalar.kind) {
    case "null":
      return null;
    case "bool":
      return scalar.value;
    case "int":
      return integer(scalar.value, walk);
    case "float":
      if (Number.isFinite(scalar.value)) return scalar.value;
      throw new YamlError(`json: unsupported value: ${formatInfinite(scalar.value)}`);
    default:
      // Timestamps stay texts, because Go decodes them so into an untyped value.
      return text;
  }
}

function integer(value: bigint, walk: Walk): ExactJson {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  walk.hasLiterals = true;
  return new NumberLiteral(value.toString());
}

function formatInfinite(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "+Inf" : "-Inf";
}

function readTagged(text: string, tag: string, walk: Walk): ExactJson {
  if (tag === "str") return text;
  if (tag === "binary") {
    const canonical = canonicalBase64(text);
    if ("at" in canonical) throw yamlError("!!binary value contains invalid base64 data");
    return Buffer.from(canonical.text, "base64").toString("utf8");
  }
  const { kind } = resolveScalar(text);
  const isFloat = tag === "float" && kind === "int";
  if (kind === tag || isFloat || tag === "timestamp") return readPlain(text, walk);
  throw yamlError(`cannot decode !!${shortKind(kind)} \`${text}\` as a !!${tag}`);
}

function shortKind(kind: string): string {
  return kind === "string" ? "str" : kind;
}
