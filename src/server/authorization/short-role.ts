/** Pure: a short notation for default roles, with one line per rule. */
import type { PolicyRule } from "../../api/generated/rbac.ts";

/** A role in short notation: its rules, or the label of the roles that it aggregates. */
export interface DefaultRole {
  readonly name: string;
  /** Set for a Role; absent for a ClusterRole. */
  readonly namespace?: string;
  readonly rules?: readonly PolicyRule[];
  readonly gathers?: string;
  readonly labels?: { readonly [label: string]: string };
}

export const READ = "get list watch";
export const WRITE = "create delete deletecollection patch update";
export const READ_WRITE = "create delete deletecollection get list patch update watch";

/** rule("get list", "", "pods pods/log"): words are separated by spaces, groups by commas. */
export function rule(verbs: string, groups: string, resources: string, names = ""): PolicyRule {
  return {
    verbs: words(verbs),
    apiGroups: groups.split(","),
    resources: words(resources),
    ...(names === "" ? {} : { resourceNames: words(names) }),
  };
}

export function pathRule(verbs: string, paths: string): PolicyRule {
  return { verbs: words(verbs), nonResourceURLs: words(paths) };
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
