/** Pure: the rules of kinds of which mainly the metadata is validated. */
import type { Finding } from "../../api/finding.ts";
import { dns1123Subdomain, type NameRule } from "../../api/names.ts";
import type { KubeObject } from "../../api/object.ts";
import type { Rules } from "../kind.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "./object-meta.ts";

export interface StandardOptions<T extends KubeObject> {
  readonly namespaced: boolean;
  /** By default a DNS subdomain. */
  readonly nameRule?: NameRule;
  /** Validates more than the metadata, on create and on update. */
  readonly validateContent?: (object: T) => Finding[];
  /** Checks what an update must not change. */
  readonly validateChange?: (next: T, old: T) => Finding[];
}

/** Validates the metadata, then the content, and on update also the change. */
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
