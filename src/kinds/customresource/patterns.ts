/**
 * Pure: regular expressions as Kubernetes has them: RE2, which takes time in proportion to the text
 * whatever the expression. Those of JavaScript can take longer than anyone waits.
 */
import { createRequire } from "node:module";
import type { RE2JS } from "re2js";

/** Undefined where it is none. Expressions are few and used often: each is compiled once. */
export function findPattern(expression: string): RE2JS | undefined {
  const known = compiled.get(expression);
  if (known !== undefined) return known ?? undefined;
  const found = compile(expression);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(expression, "pattern" in found ? found.pattern : null);
  return "pattern" in found ? found.pattern : undefined;
}

/** What is wrong with an expression, in RE2's words; undefined for one that is right. */
export function patternProblem(expression: string): string | undefined {
  const found = compile(expression);
  return "problem" in found ? found.problem : undefined;
}

/** Whether the text has a match in it; an expression that is none matches nothing. */
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

// Loaded with the first expression: most servers never see one.
const load = createRequire(import.meta.url);
let loaded: typeof import("re2js") | undefined;

function re2(): typeof import("re2js") {
  loaded ??= load("re2js") as typeof import("re2js");
  return loaded;
}
