/** Pure: the costs of calls beyond their arguments, and the maximum sizes of their results. */
import { partOf, type Type } from "../types.ts";
import { appended, type Path } from "./path.ts";
import {
  addSizes,
  type Bounds,
  boundOf,
  fixed,
  limited,
  MOST,
  multiplySizes,
  ONE,
  perUnit,
  type Size,
  UNKNOWN,
} from "./size.ts";

/** An argument, as far as it is known. */
export interface Operand {
  readonly type: Type;
  readonly size?: Size;
  readonly path: Path;
  /** The value, if it is a literal integer. */
  readonly integer?: number;
}

export interface CallCost {
  readonly cost: number;
  readonly size?: Size;
}

export interface Call {
  readonly name: string;
  readonly target?: Operand;
  readonly given: readonly Operand[];
  readonly root: Bounds;
}

const TRAVERSAL = 0.1;
const EXPRESSION = 0.25;
const LIST = 10;

/** The costs that Kubernetes specifies for functions, by name; undefined if it specifies none. */
export function libraryCost(call: Call): CallCost | undefined {
  const { name, target, given } = call;
  if (Object.hasOwn(OF_TARGET, name)) return target && OF_TARGET[name]?.(call, target);
  const [first] = given;
  if (Object.hasOwn(OF_FIRST, name)) return first && OF_FIRST[name]?.(call, first);
  if (NOMINAL.has(name)) return { cost: 1 };
  if (name === "ip") {
    if (target?.type.kind === "CIDR") return { cost: 1 };
    return first && { cost: perUnit(sizeOf(first).max, TRAVERSAL) };
  }
  return name === "_==_" ? opaqueEquality(given) : undefined;
}

const NOMINAL: ReadonlySet<string> = new Set(
  (
    "masked prefixLength family isUnspecified isLoopback isLinkLocalMulticast " +
    "isLinkLocalUnicast isGlobalUnicast format.named sign asInteger isInteger " +
    "asApproximateFloat isGreaterThan isLessThan compareTo add sub major minor patch " +
    "getScheme getHostname getHost getPort getEscapedPath getQuery"
  ).split(" "),
);

function sizeOf(operand: Operand | undefined): Size {
  return operand?.size ?? UNKNOWN;
}

type Rule = (call: Call, operand: Operand) => CallCost | undefined;

/** Reads the whole operand once; the result has the same size. */
const readOnce: Rule = (_call, operand) => {
  const size = sizeOf(operand);
  return { cost: perUnit(size.max, TRAVERSAL), size };
};

const OF_TARGET: { readonly [name: string]: Rule } = {
  isSorted: compareAll,
  sum: compareAll,
  min: compareAll,
  max: compareAll,
  indexOf: compareAll,
  lastIndexOf: compareAll,
  lowerAscii: readOnce,
  upperAscii: readOnce,
  substring: readOnce,
  trim: readOnce,
  replace: (call, target) => {
    const [replaced, replacement] = call.given;
    if (!replaced || !replacement) return undefined;
    const size = sizeOf(target);
    const made = replacedSize(size, sizeOf(replaced), sizeOf(replacement));
    return { cost: perUnit(size.max, 2 * TRAVERSAL), size: made };
  },
  split: ({ given }, target) => {
    const size = sizeOf(target);
    const max = given[1]?.integer ?? size.max;
    return { cost: perUnit(size.max, 2 * TRAVERSAL), size: { min: 0, max } };
  },
  join: (call, target) => {
    const size = joinedSize(call, target);
    return { cost: perUnit(size.max, TRAVERSAL), size };
  },
  find: match,
  findAll: match,
  containsIP: ({ given }) => ({ cost: 4 + textCost(given[0]) }),
  containsCIDR: ({ given }) => ({ cost: 7 + textCost(given[0]) }),
  validate: ({ given }) => {
    const read = perUnit(sizeOf(given[0]).max, TRAVERSAL);
    return { cost: perUnit(read, LONGEST_FORMAT * EXPRESSION) };
  },
  distinct: (_call, target) => squared(sizeOf(target), 2),
  sort: (_call, target) => squared(sizeOf(target), isText(partOf(target.type)) ? 2.1 : 2),
  reverse: (_call, target) => (target.type.kind === "list" ? made(sizeOf(target), 1) : undefined),
  flatten: ({ given }, target) =>
    made(sizeOf(target), given.length === 0 ? 1 : (given[0]?.integer ?? MOST)),
  slice: ({ given }, target) => {
    const [from, to] = given;
    const length = (to?.integer ?? sizeOf(target).max) - (from?.integer ?? 0);
    return made(fixed(length < 0 ? MOST + length : length), 1);
  },
};

/** The length of the longest expression that checks a format. */
const LONGEST_FORMAT = 128;

const OF_FIRST: { readonly [name: string]: Rule } = {
  url: readOnce,
  "jsonpatch.escapeKey": readOnce,
  cidr: readText,
  isIP: readText,
  isCIDR: readText,
  quantity: readText,
  isQuantity: readText,
  semver: readText,
  isSemver: readText,
  "ip.isCanonical": (_call, first) => ({ cost: perUnit(sizeOf(first).max, 2 * TRAVERSAL) }),
  "sets.contains": compareEach(1),
  "sets.intersects": compareEach(1),
  "sets.equivalent": compareEach(2),
  "lists.range": (_call, first) => made(fixed(first.integer ?? MOST), 1),
};

function readText(_call: Call, first: Operand): CallCost {
  return { cost: perUnit(sizeOf(first).max, TRAVERSAL) };
}

/** A text has to be parsed first. */
function textCost(operand: Operand | undefined): number {
  const isGivenAsText = operand?.type.kind === "string" || operand?.type.kind === "dyn";
  return isGivenAsText ? perUnit(sizeOf(operand).max, TRAVERSAL) : 0;
}

function isText({ kind }: Type): boolean {
  return kind === "string" || kind === "bytes";
}

function compareAll({ root }: Call, target: Operand): CallCost {
  const size = sizeOf(target);
  const element = target.type.of?.[0];
  if (element === undefined) return { cost: perUnit(size.max, TRAVERSAL) };
  const each = isText(element) ? perUnit((elementSize(root, target) ?? UNKNOWN).max, TRAVERSAL) : 0;
  return { cost: limited(size.max * (1 + each)) };
}

function elementSize(root: Bounds, { path }: Operand): Size | undefined {
  if (path.length === 0) return undefined;
  const apart = { ...path, room: path.length };
  return boundOf(root, appended(apart, "@items"));
}

function replacedSize(size: Size, replaced: Size, replacement: Size): Size {
  // Replacing an empty text inserts the replacement around every character.
  const most =
    replaced.min === 0
      ? limited((size.max + 1) * replacement.max + size.max)
      : replacement.max <= replaced.min
        ? size.max
        : limited(Math.ceil(size.max / replaced.min) * replacement.max);
  const least =
    replaced.max === 0
      ? limited((size.min + 1) * replacement.min + size.min)
      : replaced.max <= replacement.min
        ? size.min
        : limited(Math.ceil(size.min / replaced.max) * replacement.min);
  return { min: least, max: most };
}

function joinedSize({ root, given }: Call, target: Operand): Size {
  const list = sizeOf(target);
  const hasElements = target.type.of?.[0] !== undefined;
  const items = hasElements ? multiplySizes(list, elementSize(root, target) ?? UNKNOWN) : fixed(0);
  const [separator] = given;
  if (!separator) return items;
  const between = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
  return addSizes(items, multiplySizes(sizeOf(separator), between));
}

function match({ given }: Call, target: Operand): CallCost | undefined {
  const [expression] = given;
  if (!expression) return undefined;
  const { max } = sizeOf(target);
  const cost = matchCost(sizeOf(target), sizeOf(expression));
  return { cost, size: { min: 0, max } };
}

function matchCost(text: Size, expression: Size): number {
  const read = perUnit(limited(text.max + 1), TRAVERSAL);
  return limited(read * perUnit(expression.max, EXPRESSION));
}

function compareEach(factor: number): Rule {
  return ({ given }, first) => {
    const pairs = multiplySizes(sizeOf(first), sizeOf(given[1]));
    return { cost: limited(perUnit(pairs.max, factor) + 1) };
  };
}

function squared(size: Size, factor: number): CallCost {
  return made(multiplySizes(size, size), factor);
}

function made(size: Size, factor: number): CallCost {
  return { cost: limited(perUnit(size.max, factor) + 1 + LIST), size };
}

const FIXED_SIZE: ReadonlySet<string> = new Set(["CIDR", "IP", "Quantity", "Semver"]);
const LONGEST_FORMAT_NAME = 64;

function opaqueEquality([left, right]: readonly Operand[]): CallCost | undefined {
  if (!left || !right || left.type.kind !== right.type.kind) return undefined;
  const { kind } = left.type;
  if (FIXED_SIZE.has(kind)) return { cost: 1 };
  if (kind === "Format") return { cost: perUnit(LONGEST_FORMAT_NAME, TRAVERSAL) };
  return kind === "URL" ? { cost: perUnit((right.size ?? ONE).max, TRAVERSAL) } : undefined;
}

/** The costs of the language itself. Everything that is not listed costs one. */
export function languageCost({ name, target, given }: Call): CallCost {
  const [first, second] = given;
  switch (name) {
    case "format":
      return target ? { cost: perUnit(sizeOf(target).max, TRAVERSAL) } : { cost: 1 };
    case "bytes":
      return first?.type.kind === "string" || first?.type.kind === "dyn"
        ? encodedText(sizeOf(first), (size) => ({ min: size.min, max: limited(size.max * 4) }))
        : { cost: 1 };
    case "string":
      return first?.type.kind === "bytes" || first?.type.kind === "dyn"
        ? encodedText(sizeOf(first), (size) => ({ min: Math.floor(size.min / 4), max: size.max }))
        : { cost: 1 };
    case "strings.quote":
      return encodedText(sizeOf(first), (size) => ({
        min: limited(size.min + 2),
        max: limited(size.max * 2 + 2),
      }));
    case "startsWith":
    case "endsWith":
      return { cost: perUnit(sizeOf(first).max, TRAVERSAL) };
    case "matches":
      return target && first ? { cost: matchCost(sizeOf(target), sizeOf(first)) } : { cost: 1 };
    case "contains":
      return {
        cost: limited(
          perUnit(sizeOf(target).max, TRAVERSAL) * perUnit(sizeOf(first).max, TRAVERSAL),
        ),
      };
    case "@in":
      return { cost: second?.type.kind === "map" ? 1 : sizeOf(second).max };
    case "_+_":
      return sumCost(sizeOf(first), sizeOf(second), [first?.type.kind, second?.type.kind]);
    case "_==_":
    case "_!=_":
      return { cost: comparisonCost(sizeOf(first), sizeOf(second)) };
    case "_<_":
    case "_<=_":
    case "_>_":
    case "_>=_":
      return { cost: orderCost(given) };
    default:
      return { cost: 1 };
  }
}

function encodedText(size: Size, toSize: (size: Size) => Size): CallCost {
  return { cost: perUnit(size.max, TRAVERSAL), size: toSize(size) };
}

function sumCost(left: Size, right: Size, kinds: readonly (string | undefined)[]): CallCost {
  const may = (kind: string) => kinds.every((each) => each === kind || each === "dyn");
  const size = addSizes(left, right);
  if (may("string") || may("bytes")) return { cost: perUnit(size.max, TRAVERSAL), size };
  return may("list") ? { cost: 1, size } : { cost: 1 };
}

function comparisonCost(left: Size, right: Size): number {
  return perUnit(Math.min(left.max, right.max), TRAVERSAL);
}

function orderCost(given: readonly Operand[]): number {
  const [left, right] = given;
  const may = (kind: string) =>
    given.every(({ type }) => type.kind === kind || type.kind === "dyn");
  const isSure = given.every(({ type }) => isText(type));
  if (!may("string") && !may("bytes")) return 1;
  const cost = comparisonCost(sizeOf(left), sizeOf(right));
  return isSure ? cost : Math.max(1, cost);
}
