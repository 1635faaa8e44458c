/**
 * Pure: parses and evaluates the labelSelector of a query like Kubernetes.
 *
 * A selector is a list of requirements that must all hold. Reading order: this file defines
 * requirements, label-selector-tokens.ts splits the text, field-selector-query.ts is the simpler
 * language of the fieldSelector. None of them knows kinds, requests or the store.
 */
import { badRequest } from "../errors.ts";
import { type Finding, formatFinding, invalid } from "../finding.ts";
import { labelValue, qualifiedName } from "../names.ts";
import { type Token, tokensOf } from "./label-selector-tokens.ts";
import { MOST_REQUIREMENTS, tooManyRequirements } from "./requirements.ts";

export type LabelOperator = "=" | "==" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";

export interface Requirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted and distinct: one value for comparisons, none for exists and "!". */
  readonly values: readonly string[];
}

export type Labels = { readonly [key: string]: string };

/** Throws a 400 with the message of labels.Parse. */
export function parseLabelSelector(text: string): Requirement[] {
  return parseRequirements({ tokens: tokensOf(text), position: 0 });
}

export function matchesLabels(
  requirements: readonly Requirement[],
  labels: Labels | undefined,
): boolean {
  return requirements.every((requirement) => {
    const { key } = requirement;
    const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
    return holds(requirement, value);
  });
}

/** The one value the label must have, so that an index can be used before objects are filtered. */
export function findEquality(
  requirements: readonly Requirement[],
  key: string,
): string | undefined {
  for (const { key: named, operator, values } of requirements) {
    const asksForOne = operator === "=" || operator === "==" || operator === "in";
    if (named === key && asksForOne && values.length === 1) return values[0];
  }
  return undefined;
}

function holds({ operator, values }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case "=":
    case "==":
    case "in":
      return value !== undefined && includes(values, value);
    case "!=":
    case "notin":
      return value === undefined || !includes(values, value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "gt":
    case "lt":
      return compares(operator, value, values[0]);
  }
}

/** By halving: a selector may name thousands of values, and there may be thousands of objects. */
function includes(sorted: readonly string[], value: string): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = sorted[middle] ?? "";
    if (found === value) return true;
    if (found < value) low = middle + 1;
    else high = middle;
  }
  return false;
}

function compares(operator: "gt" | "lt", value = "", bound = ""): boolean {
  const left = parseInt64(value);
  const right = parseInt64(bound);
  if (left === undefined || right === undefined) return false;
  return operator === "gt" ? left > right : left < right;
}

const INT64_MAX = 2n ** 63n - 1n;

/** Go's strconv.ParseInt(text, 10, 64). */
function parseInt64(text: string): bigint | undefined {
  if (!/^[-+]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.replace("+", ""));
  return value > INT64_MAX || value < -INT64_MAX - 1n ? undefined : value;
}

interface Cursor {
  readonly tokens: readonly Token[];
  position: number;
}

function parseRequirements(cursor: Cursor): Requirement[] {
  const requirements: Requirement[] = [];
  while (peek(cursor).type !== "end") {
    if (!startsRequirement(peek(cursor))) {
      throw unexpected(peek(cursor), "!, identifier, or 'end of string'");
    }
    requirements.push(parseRequirement(cursor));
    if (requirements.length > MOST_REQUIREMENTS) throw tooManyRequirements("label");
    const next = take(cursor);
    if (next.type === "end") break;
    if (next.type !== ",") throw unexpected(next, "',' or 'end of string'");
    if (!startsRequirement(peek(cursor))) throw unexpected(peek(cursor), "identifier after ','");
  }
  return requirements;
}

/** If no operator is allowed here, keywords are ordinary words: "x=in" compares with "in". */
function peek(cursor: Cursor): Token {
  const token = peekOperator(cursor);
  return token.type === "in" || token.type === "notin" ? { ...token, type: "word" } : token;
}

function peekOperator({ tokens, position }: Cursor): Token {
  return tokens[position] ?? { type: "end", text: "" };
}

function take(cursor: Cursor): Token {
  const token = peek(cursor);
  cursor.position++;
  return token;
}

function startsRequirement(token: Token): boolean {
  return token.type === "word" || token.type === "!";
}

function parseRequirement(cursor: Cursor): Requirement {
  const negated = peek(cursor).type === "!";
  if (negated) take(cursor);
  const key = take(cursor);
  if (key.type !== "word") throw unparsable(found(key, "identifier"));
  const problems = qualifiedName(key.text);
  if (problems.length > 0) {
    // Go prints a nil path, because a query has no fields.
    throw unparsable(formatFinding(invalid("<nil>", key.text, problems.join("; "))));
  }
  if (negated) return { key: key.text, operator: "!", values: [] };
  const { type } = peek(cursor);
  if (type === "end" || type === ",") return { key: key.text, operator: "exists", values: [] };
  const operator = parseOperator(cursor);
  const values =
    operator === "in" || operator === "notin" ? parseValues(cursor) : parseValue(cursor);
  return checked({ key: key.text, operator, values: [...new Set(values)].sort() });
}

function parseOperator(cursor: Cursor): LabelOperator {
  const token = peekOperator(cursor);
  take(cursor);
  switch (token.type) {
    case "=":
    case "==":
    case "!=":
    case "in":
    case "notin":
      return token.type;
    case ">":
      return "gt";
    case "<":
      return "lt";
    default:
      throw unparsable(found(token, "in, notin, =, ==, !=, gt, lt"));
  }
}

function parseValue(cursor: Cursor): string[] {
  const { type } = peek(cursor);
  if (type === "end" || type === ",") return [""];
  const value = take(cursor);
  if (value.type !== "word") throw unparsable(found(value, "identifier"));
  return [value.text];
}

/** "(a,b)". An empty element, and "()", mean the empty value. */
function parseValues(cursor: Cursor): string[] {
  const open = take(cursor);
  if (open.type !== "(") throw unparsable(`found '${open.text}' expected: '('`);
  const first = peek(cursor);
  if (first.type === ")") {
    take(cursor);
    return [""];
  }
  if (first.type !== "word" && first.type !== ",") {
    throw unparsable(found(first, "',', ')' or identifier"));
  }
  const values = parseList(cursor);
  take(cursor);
  return values;
}

function parseList(cursor: Cursor): string[] {
  const values: string[] = [];
  for (;;) {
    const token = take(cursor);
    const next = peek(cursor);
    if (token.type === "word") {
      values.push(token.text);
      if (next.type === ")") return values;
      if (next.type !== ",") throw unparsable(found(next, "',' or ')'"));
    } else if (token.type === ",") {
      if (values.length === 0 || next.type === ")") values.push("");
      if (next.type === ")") return values;
      if (next.type === ",") {
        take(cursor);
        values.push("");
      }
    } else {
      throw unparsable(found(token, "',', or identifier"));
    }
  }
}

function checked(requirement: Requirement): Requirement {
  const { key, operator, values } = requirement;
  const compared = operator === "gt" || operator === "lt";
  const findings = [
    ...values.flatMap((value, index) => (compared ? checkInteger(value, index) : [])),
    ...values.flatMap((value, index) => checkValue(key, value, index)),
  ].map(formatFinding);
  if (findings.length === 0) return requirement;
  throw unparsable(findings.length === 1 ? `${findings[0]}` : `[${findings.join(", ")}]`);
}

function checkInteger(value: string, index: number): Finding[] {
  if (parseInt64(value) !== undefined) return [];
  const rule = "for 'Gt', 'Lt' operators, the value must be an integer";
  return [invalid(`values[${index}]`, value, rule)];
}

function checkValue(key: string, value: string, index: number): Finding[] {
  const problems = labelValue(value);
  if (problems.length === 0) return [];
  return [invalid(`values[${index}][${key}]`, value, problems.join("; "))];
}

function found(token: Token, expected: string): string {
  return `found '${token.text}', expected: ${expected}`;
}

function unexpected(token: Token, expected: string): Error {
  return badRequest(found(token, expected));
}

function unparsable(problem: string): Error {
  return badRequest(`unable to parse requirement: ${problem}`);
}
