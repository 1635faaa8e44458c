/** Pure: whether one rule of a role allows a request. */
import type { PolicyRule } from "../../api/generated/rbac.ts";
import type { Attributes } from "./attributes.ts";

export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!matches(rule.verbs ?? [], attributes.verb)) return false;
  if (attributes.kind === "path") return pathMatches(rule.nonResourceURLs ?? [], attributes.path);
  const { group, resource, subresource, name } = attributes;
  return (
    matches(rule.apiGroups ?? [], group) &&
    resourceMatches(rule.resources ?? [], resource, subresource) &&
    nameMatches(rule.resourceNames ?? [], name)
  );
}

const ALL = "*";

function matches(allowed: readonly string[], asked: string): boolean {
  return allowed.includes(ALL) || allowed.includes(asked);
}

export function resourceMatches(
  allowed: readonly string[],
  resource: string,
  subresource: string,
): boolean {
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  if (matches(allowed, whole)) return true;
  return subresource !== "" && allowed.includes(`${ALL}/${subresource}`);
}

function nameMatches(allowed: readonly string[], name: string): boolean {
  return allowed.length === 0 || allowed.includes(name);
}

export function pathMatches(allowed: readonly string[], path: string): boolean {
  return allowed.some((pattern) => {
    if (pattern === ALL || pattern === path) return true;
    return pattern.endsWith(ALL) && path.startsWith(pattern.replace(/\*+$/, ""));
  });
}
