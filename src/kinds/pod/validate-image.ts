/** Pure: when an image is pulled. */
import { type Finding, notSupported, required } from "../../api/finding.ts";

const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];

export function validatePullPolicy(policy: string | undefined, field: string): Finding[] {
  if (policy === undefined) return [required(field)];
  return PULL_POLICIES.includes(policy) ? [] : [notSupported(field, policy, PULL_POLICIES)];
}

/**
 * The default of a pull policy: what a moving tag names may have changed since it was pulled. No
 * tag and no digest means "latest"; text that is no image reference is left to validation.
 */
export function defaultPullPolicy(image: string): "Always" | "IfNotPresent" {
  const reference = REFERENCE.exec(image);
  if (reference === null || IDENTIFIER.test(image)) return "IfNotPresent";
  const [, , path = "", tag, digest] = reference;
  // A name of one part is one of the library's.
  const whole = image.includes("/") ? path : `library/${path}`;
  if (whole.length > PATH_MAX) return "IfNotPresent";
  if (tag === undefined && digest === undefined) return "Always";
  return tag === "latest" ? "Always" : "IfNotPresent";
}

const DOMAIN_LABEL = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const DOMAIN = `(?:${DOMAIN_LABEL}(?:\\.${DOMAIN_LABEL})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const PATH_PART = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const TAG = "[\\w][\\w.-]{0,127}";
const DIGEST = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const PATH_MAX = 255;
/** What an image is called by its content alone: no reference to one. */
const IDENTIFIER = /^[a-f0-9]{64}$/;
const REFERENCE = new RegExp(
  `^(?:(${DOMAIN})/)?(${PATH_PART}(?:/${PATH_PART})*)(?::(${TAG}))?(?:@(${DIGEST}))?$`,
);
