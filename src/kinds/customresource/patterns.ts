/**
 * Pure: regular expressions with RE2, like Kubernetes. RE2 takes time in proportion to the text,
 * whatever the expression. Regular expressions of JavaScript can take exponential time.
 */
import { createRequire } from "node:module";
import type { RE2JS } from "re2js";

/**
 * Undefined if the expression is invalid. Compiled expressions are cached, because there are few
 * and they are used often.
 */
export function findPattern(expression: string): RE2JS | undefined {
  const known = compiled.get(expression);
  if (known !== undefined) return known ?? undefined;
  const found = compile(expression);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(expression, "pattern" in found ? found.pattern : null);
  return "pattern" in found ? found.pattern : undefined;
}

/** The error of an invalid expression, in RE2's wording; undefined if it is valid. */
export function patternProblem(expression: string): string | undefined {
  const found = compile(expression);
  return "problem" in found ? found.problem : undefined;
}

/** Whether the text contains a match. An invalid expression matches nothing. */
export function matchesPattern(expression: string, text: string): boolean {
  return findPattern(expression)?.matcher(text).find() ?? false;
}

const MAX_COMPILED = 1000;
const compiled = new Map<string, RE2JS | null>();

type Compiled = { readonly pattern: RE2JS } | { readonly problem: string };

function compile(expression: string): Compiled {
  try {
    return { pattern: re2().RE2JS.compile(expression) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

// Loaded with the first expression, because most servers never use one.
const load = createRequire(import.meta.url);
let loaded: typeof import("re2js") | undefined;

function re2(): typeof import("re2js") {
  loaded ??= load("re2js") as typeof import("re2js");
  return loaded;
}
