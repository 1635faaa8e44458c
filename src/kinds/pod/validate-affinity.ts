/** Pure: validates node affinity, pod affinity and pod anti-affinity. */
import { type Finding, forbidden, invalid, required } from "../../api/finding.ts";
import type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from "../../api/generated/core.ts";
import { dns1123Label, dns1123Subdomain, labelValue } from "../../api/names.ts";
import { validateLabelSelector } from "../meta/label-selector.ts";
import { validateLabelName } from "../meta/labels.ts";
import { invalidEach } from "./syntax.ts";

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

export function validateAffinity(affinity: Affinity | undefined, path: string): Finding[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {};
  return [
    ...(nodeAffinity ? validateNodeAffinity(nodeAffinity, `${path}.nodeAffinity`) : []),
    ...(podAffinity ? validatePodAffinity(podAffinity, `${path}.podAffinity`) : []),
    ...(podAntiAffinity ? validatePodAffinity(podAntiAffinity, `${path}.podAntiAffinity`) : []),
  ];
}

export function validateNodeSelector(selector: NodeSelector, path: string): Finding[] {
  const terms = selector.nodeSelectorTerms ?? [];
  const field = `${path}.nodeSelectorTerms`;
  if (terms.length === 0) return [required(field, "must have at least one node selector term")];
  return terms.flatMap((term, at) => validateNodeSelectorTerm(term, `${field}[${at}]`, true));
}

function validateNodeAffinity(affinity: NodeAffinity, path: string): Finding[] {
  const { [REQUIRED]: demanded, [PREFERRED]: wished = [] } = affinity;
  return [
    ...(demanded ? validateNodeSelector(demanded, `${path}.${REQUIRED}`) : []),
    ...wished.flatMap(({ weight, preference }, at) => [
      ...validateWeight(weight, `${path}.${PREFERRED}[${at}].weight`),
      ...validateNodeSelectorTerm(preference, `${path}.${PREFERRED}[${at}].preference`, false),
    ]),
  ];
}

/**
 * A preference that no label can match is harmless, but such a requirement would keep the pod
 * pending forever.
 */
function validateNodeSelectorTerm(
  term: NodeSelectorTerm,
  path: string,
  checksValues: boolean,
): Finding[] {
  const { matchExpressions = [], matchFields = [] } = term;
  return [
    ...matchExpressions.flatMap((requirement, at) =>
      validateExpression(requirement, `${path}.matchExpressions[${at}]`, checksValues),
    ),
    ...matchFields.flatMap((requirement, at) =>
      validateField(requirement, `${path}.matchFields[${at}]`),
    ),
  ];
}

function validateExpression(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: string,
  checksValues: boolean,
): Finding[] {
  return [
    ...validateOperator(operator, values.length, path),
    ...validateLabelName(key, `${path}.key`),
    ...(checksValues
      ? values.flatMap((value, at) =>
          invalidEach(`${path}.values[${at}]`, value, labelValue(value)),
        )
      : []),
  ];
}

function validateOperator(operator: string, values: number, path: string): Finding[] {
  const field = `${path}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      if (values > 0) return [];
      return [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist": {
      if (values === 0) return [];
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      return [forbidden(field, detail)];
    }
    case "Gt":
    case "Lt":
      if (values === 1) return [];
      return [required(field, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}

/** The only field of a node that can be selected is its name. */
function validateField(
  { key, operator, values = [] }: NodeSelectorRequirement,
  path: string,
): Finding[] {
  const findings: Finding[] = [];
  if (operator !== "In" && operator !== "NotIn") {
    findings.push(invalid(`${path}.operator`, operator, "not a valid selector operator"));
  } else if (values.length !== 1) {
    const detail =
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    findings.push(required(`${path}.values`, detail));
  }
  if (key !== "metadata.name") {
    return [...findings, invalid(`${path}.key`, key, "not a valid field selector key")];
  }
  const ofValues = values.flatMap((value, at) =>
    invalidEach(`${path}.values[${at}]`, value, dns1123Subdomain(value)),
  );
  return [...findings, ...ofValues];
}

function validatePodAffinity(affinity: PodAffinity, path: string): Finding[] {
  const { [REQUIRED]: demanded = [], [PREFERRED]: wished = [] } = affinity;
  return [
    ...demanded.flatMap((term, at) => validatePodAffinityTerm(term, `${path}.${REQUIRED}[${at}]`)),
    ...wished.flatMap(({ weight, podAffinityTerm }, at) => {
      const here = `${path}.${PREFERRED}[${at}]`;
      return [
        ...validateWeight(weight, `${here}.weight`),
        ...validatePodAffinityTerm(podAffinityTerm, `${here}.podAffinityTerm`),
      ];
    }),
  ];
}

function validatePodAffinityTerm(term: PodAffinityTerm, path: string): Finding[] {
  const { namespaces = [], topologyKey } = term;
  return [
    ...validateLabelSelector(term.labelSelector, `${path}.labelSelector`),
    ...validateLabelSelector(term.namespaceSelector, `${path}.namespaceSelector`),
    ...namespaces.flatMap((name) => invalidEach(`${path}.namespace`, name, dns1123Label(name))),
    ...validateLabelKeys(term, path),
    ...(topologyKey === "" ? [required(`${path}.topologyKey`, "can not be empty")] : []),
    ...validateLabelName(topologyKey, `${path}.topologyKey`),
  ];
}

/**
 * Keys whose values are taken from the pod. When a pod is validated, they have already been added
 * to its selector, so a key that the user also put there occurs twice.
 */
export function validateLabelKeys(
  term: Pick<PodAffinityTerm, "labelSelector" | "matchLabelKeys" | "mismatchLabelKeys">,
  path: string,
): Finding[] {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term;
  const bothMatch = "exists in both matchLabelKeys and labelSelector";
  const bothLists = "exists in both matchLabelKeys and mismatchLabelKeys";
  return [
    ...validateKeyNames(matchLabelKeys, `${path}.matchLabelKeys`, labelSelector !== undefined),
    ...validateKeyNames(
      mismatchLabelKeys,
      `${path}.mismatchLabelKeys`,
      labelSelector !== undefined,
    ),
    ...repeatedKeys(labelSelector, matchLabelKeys).map(({ key, at }) =>
      invalid(`${path}[${at}]`, key, bothMatch),
    ),
    ...matchLabelKeys.flatMap((key, at) =>
      mismatchLabelKeys.includes(key)
        ? [invalid(`${path}.matchLabelKeys[${at}]`, key, bothLists)]
        : [],
    ),
  ];
}

function validateKeyNames(keys: readonly string[], path: string, hasSelector: boolean): Finding[] {
  if (keys.length === 0) return [];
  if (!hasSelector) {
    return [forbidden(path, "must not be specified when labelSelector is not set")];
  }
  return keys.flatMap((key, at) => validateLabelName(key, `${path}[${at}]`));
}

/** The label keys of a list that occur a second time in a selector's expressions. */
function repeatedKeys(
  selector: PodAffinityTerm["labelSelector"],
  keys: readonly string[],
): { readonly key: string; readonly at: number }[] {
  const seen = new Set(Object.keys(selector?.matchLabels ?? {}));
  return (selector?.matchExpressions ?? []).flatMap(({ key }) => {
    const isRepeated = seen.has(key) && keys.includes(key);
    seen.add(key);
    return isRepeated ? [{ key, at: keys.lastIndexOf(key) }] : [];
  });
}

function validateWeight(weight: number, field: string): Finding[] {
  if (weight > 0 && weight <= 100) return [];
  return [invalid(field, weight, "must be in the range 1-100")];
}
