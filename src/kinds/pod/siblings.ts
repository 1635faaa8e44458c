/**
 * Pods of one template share all parts of their spec but the hostname, by reference. What was found
 * out about the spec of one, at some cost, holds for the sibling that comes right after it.
 */
import type { PodSpec } from "../../api/generated/core.ts";
import { type QosClass, qosClassOf } from "./qos.ts";

interface Known {
  readonly spec: Fields;
  readonly qosClass: QosClass;
}

type Fields = { readonly [field: string]: unknown };

let last: Known | undefined;

/** For a spec that nobody has anything to say against, whatever the name of its pod. */
export function rememberValid(spec: PodSpec): void {
  if (spec.volumes?.some(({ ephemeral }) => ephemeral !== undefined)) return;
  last = { spec: spec as unknown as Fields, qosClass: qosClassOf(spec) };
}

/** The quality of service of a sibling that is known to be valid. */
export function findValidSibling(spec: PodSpec): { readonly qosClass: QosClass } | undefined {
  return last && isSibling(spec as unknown as Fields, last.spec) ? last : undefined;
}

function isSibling(one: Fields, other: Fields): boolean {
  const fields = Object.keys(one);
  if (fields.length !== Object.keys(other).length) return false;
  return fields.every((field) => field === "hostname" || one[field] === other[field]);
}
