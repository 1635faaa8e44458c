/** Pure: the rules of kinds whose content is taken as it comes: only metadata is checked. */
import type { Finding } from "../../api/finding.ts";
import { dns1123Subdomain, type NameRule } from "../../api/names.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Rules } from "../kind.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

export interface StandardOptions<T extends KubeObject> {
  readonly namespaced: boolean;
  /** A DNS subdomain unless said otherwise. */
  readonly nameRule?: NameRule;
  /** What is checked besides metadata, on create and on update alike. */
  readonly validateContent?: (object: T) => Finding[];
  /** What an update may not do. */
  readonly validateChange?: (next: T, old: T) => Finding[];
}

/** Checks metadata, then the content; on update also what changed. */
export function standardRules<T extends KubeObject>(options: StandardOptions<T>): Rules<T> {
  const { namespaced, nameRule = dns1123Subdomain } = options;
  const { validateContent = nothing, validateChange = nothing } = options;
  const validate = (object: T) => [
    ...validateObjectMeta(object.metadata, { namespaced, nameRule }),
    ...validateContent(object),
  ];
  const validateUpdate = (next: T, old: T) => [
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...validate(next),
    ...validateChange(next, old),
  ];
  return { validate, validateUpdate };
}

function nothing(): Finding[] {
  return [];
}
