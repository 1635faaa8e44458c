/** Pure: which rules are covered by the rules that a user holds. */
import { quote } from "../../api/finding.ts";
import type { PolicyRule } from "../../api/generated/rbac.ts";
import { pathMatches, resourceMatches } from "./rules.ts";

/** The parts of the asked rules that no held rule covers, split as far as possible. */
export function uncovered(
  held: readonly PolicyRule[],
  asked: readonly PolicyRule[],
): readonly PolicyRule[] {
  return asked.flatMap(breakDown).filter((part) => !held.some((rule) => covers(rule, part)));
}

/** Splits a rule into single verbs on single resources or paths. */
function breakDown(rule: PolicyRule): PolicyRule[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  const verbs = rule.verbs ?? [];
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => {
        const part = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if (resourceNames.length === 0) return [part];
        return resourceNames.map((name) => ({ ...part, resourceNames: [name] }));
      }),
    ),
  );
  const ofPaths = nonResourceURLs.flatMap((path) =>
    verbs.map((verb) => ({ verbs: [verb], nonResourceURLs: [path] })),
  );
  return [...ofResources, ...ofPaths];
}

function covers(held: PolicyRule, part: PolicyRule): boolean {
  const names = held.resourceNames ?? [];
  const asked = part.resourceNames ?? [];
  const isNamed =
    names.length === 0 || (asked.length > 0 && asked.every((name) => names.includes(name)));
  return (
    isNamed &&
    includesAll(held.verbs ?? [], part.verbs ?? []) &&
    includesAll(held.apiGroups ?? [], part.apiGroups ?? []) &&
    (part.resources ?? []).every((resource) => coversResource(held.resources ?? [], resource)) &&
    (part.nonResourceURLs ?? []).every((path) => pathMatches(held.nonResourceURLs ?? [], path))
  );
}

function includesAll(held: readonly string[], asked: readonly string[]): boolean {
  return held.includes("*") || asked.every((each) => held.includes(each));
}

function coversResource(held: readonly string[], asked: string): boolean {
  const slash = asked.indexOf("/");
  if (slash < 0) return resourceMatches(held, asked, "");
  return resourceMatches(held, asked.slice(0, slash), asked.slice(slash + 1));
}

/** Merges rules on the same single resource into one with all their verbs. */
export function compactRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const others: PolicyRule[] = [];
  const simple = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const key = simpleKey(rule);
    const known = key === undefined ? undefined : simple.get(key);
    if (key === undefined) others.push(rule);
    else if (known) {
      simple.set(key, { ...known, verbs: [...(known.verbs ?? []), ...(rule.verbs ?? [])] });
    } else simple.set(key, rule);
  }
  return [...others, ...simple.values()];
}

function simpleKey(rule: PolicyRule): string | undefined {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (nonResourceURLs.length > 0 || resourceNames.length > 1) return undefined;
  if (apiGroups.length !== 1 || resources.length !== 1) return undefined;
  return JSON.stringify([apiGroups[0], resources[0], resourceNames]);
}

/** {APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]} */
export function formatRule(rule: PolicyRule): string {
  const parts: [string, readonly string[] | null | undefined][] = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ];
  const shown = parts.flatMap(([name, values]) =>
    values?.length ? [`${name}:[${values.map(quote).join(" ")}]`] : [],
  );
  return `{${shown.join(", ")}}`;
}
