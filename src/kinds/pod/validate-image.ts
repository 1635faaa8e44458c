/** Pure: validates the pull policy of an image, and determines its default. */
import { type Finding, notSupported, required } from "../../api/finding.ts";

const PULL_POLICIES = ["Always", "IfNotPresent", "Never"];

export function validatePullPolicy(policy: string | undefined, field: string): Finding[] {
  if (policy === undefined) return [required(field)];
  return PULL_POLICIES.includes(policy) ? [] : [notSupported(field, policy, PULL_POLICIES)];
}

/**
 * The default pull policy: an image with a moving tag may have changed since it was pulled. Without
 * a tag and a digest it means "latest". Texts that are not image references are left to validation.
 */
export function defaultPullPolicy(image: string): "Always" | "IfNotPresent" {
  const reference = REFERENCE.exec(image);
  if (reference === null || IDENTIFIER.test(image)) return "IfNotPresent";
  const [, , path = "", tag, digest] = reference;
  // A name with one part belongs to "library".
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
/** The ID of an image, which is not a reference. */
const IDENTIFIER = /^[a-f0-9]{64}$/;
const REFERENCE = new RegExp(
  `^(?:(${DOMAIN})/)?(${PATH_PART}(?:/${PATH_PART})*)(?::(${TAG}))?(?:@(${DIGEST}))?$`,
);
