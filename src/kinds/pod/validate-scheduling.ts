/** Pure: validates what schedulers use: tolerations, topology spread, gates and claims. */
import { duplicate, type Finding, invalid, notSupported, required } from "../../api/finding.ts";
import type {
  PodReadinessGate,
  PodResourceClaim,
  PodSchedulingGate,
  Toleration,
  TopologySpreadConstraint,
} from "../../api/generated/core.ts";
import { dns1123Label, dns1123Subdomain, labelValue, qualifiedName } from "../../api/names.ts";
import { validateLabelSelector } from "../meta/label-selector.ts";
import { validateLabelName } from "../meta/labels.ts";
import { resourceClaimDump } from "./go-dump.ts";
import { invalidEach } from "./syntax.ts";
import { validateLabelKeys } from "./validate-affinity.ts";

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateTolerations(tolerations: readonly Toleration[], path: string): Finding[] {
  return tolerations.flatMap((toleration, at) => {
    const { key = "", operator = "", effect = "", tolerationSeconds } = toleration;
    const here = `${path}[${at}]`;
    const findings = key === "" ? [] : validateLabelName(key, `${here}.key`);
    if (key === "" && operator !== "Exists") {
      const detail =
        'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      findings.push(invalid(`${here}.operator`, operator, detail));
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      findings.push(invalid(`${here}.effect`, effect, detail));
    }
    findings.push(...validateTolerationValue(toleration, `${here}.operator`));
    if (effect !== "" && !EFFECTS.includes(effect)) {
      findings.push(notSupported(`${here}.effect`, effect, EFFECTS));
    }
    return findings;
  });
}

function validateTolerationValue(toleration: Toleration, field: string): Finding[] {
  const { operator = "Equal", value = "" } = toleration;
  if (operator === "Exists") {
    if (value === "") return [];
    return [invalid(field, value, "value must be empty when `operator` is 'Exists'")];
  }
  if (operator !== "Equal") {
    // Comparison operators exist but are off; they are only mentioned when one of them is rejected.
    const comparisons = ["Lt", "Gt"];
    const others = comparisons.includes(operator) ? comparisons : [];
    return [notSupported(field, operator, ["Equal", "Exists", ...others])];
  }
  const problems = labelValue(value);
  return problems.length === 0 ? [] : [invalid(field, value, problems.join(";"))];
}

const WHEN_UNSATISFIABLE = ["DoNotSchedule", "ScheduleAnyway"];
const INCLUSION_POLICIES = ["Honor", "Ignore"];

export function validateTopologySpread(
  constraints: readonly TopologySpreadConstraint[],
  path: string,
): Finding[] {
  const identities = constraints.map(spreadIdentity);
  const lastAt = new Map(identities.map((identity, at) => [identity, at]));
  return constraints.flatMap((constraint, at) => {
    const { maxSkew, topologyKey, whenUnsatisfiable } = constraint;
    const here = `${path}[${at}]`;
    const findings: Finding[] = [];
    if (maxSkew <= 0) {
      findings.push(invalid(`${here}.maxSkew`, maxSkew, "must be greater than zero"));
    }
    if (topologyKey === "") findings.push(required(`${here}.topologyKey`, "can not be empty"));
    if (!WHEN_UNSATISFIABLE.includes(whenUnsatisfiable)) {
      const field = `${here}.whenUnsatisfiable`;
      findings.push(notSupported(field, whenUnsatisfiable, WHEN_UNSATISFIABLE));
    }
    if (lastAt.get(spreadIdentity(constraint)) !== at) {
      const field = `${here}.{topologyKey, whenUnsatisfiable}`;
      findings.push(duplicate(field, `{${topologyKey}, ${whenUnsatisfiable}}`));
    }
    return [...findings, ...validateSpreadOptions(constraint, here)];
  });
}

function spreadIdentity({ topologyKey, whenUnsatisfiable }: TopologySpreadConstraint): string {
  return JSON.stringify([topologyKey, whenUnsatisfiable]);
}

function validateSpreadOptions(constraint: TopologySpreadConstraint, path: string): Finding[] {
  const { minDomains, whenUnsatisfiable, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  const findings: Finding[] = [];
  if (minDomains !== undefined && minDomains <= 0) {
    findings.push(invalid(`${path}.minDomains`, minDomains, "must be greater than zero"));
  }
  if (minDomains !== undefined && whenUnsatisfiable !== "DoNotSchedule") {
    const rule = "can only use minDomains if whenUnsatisfiable=DoNotSchedule";
    findings.push(invalid(`${path}.minDomains`, minDomains, `${rule}, not ${whenUnsatisfiable}`));
  }
  for (const [field, policy] of Object.entries({ nodeAffinityPolicy, nodeTaintsPolicy })) {
    if (policy === undefined || INCLUSION_POLICIES.includes(policy)) continue;
    findings.push(notSupported(`${path}.${field}`, policy, INCLUSION_POLICIES));
  }
  return [
    ...findings,
    ...validateLabelKeys(constraint, path),
    ...validateLabelSelector(constraint.labelSelector, `${path}.labelSelector`),
  ];
}

export function validateReadinessGates(
  gates: readonly PodReadinessGate[],
  path: string,
): Finding[] {
  return gates.flatMap(({ conditionType }, at) =>
    invalidEach(`${path}[${at}].conditionType`, conditionType, qualifiedName(conditionType)),
  );
}

export function validateSchedulingGates(
  gates: readonly PodSchedulingGate[],
  path: string,
): Finding[] {
  const seen = new Set<string>();
  return gates.flatMap(({ name }, at) => {
    const findings = invalidEach(`${path}[${at}]`, name, qualifiedName(name));
    if (seen.has(name)) findings.push(duplicate(`${path}[${at}]`, name));
    seen.add(name);
    return findings;
  });
}

export function validateResourceClaims(
  claims: readonly PodResourceClaim[],
  path: string,
): Finding[] {
  const names = new Set<string>();
  return claims.flatMap((claim, at) => {
    const { name, resourceClaimName, resourceClaimTemplateName } = claim;
    const here = `${path}[${at}]`;
    const findings: Finding[] = [];
    if (name === "") findings.push(required(`${here}.name`));
    else if (names.has(name)) findings.push(duplicate(`${here}.name`, name));
    else findings.push(...invalidEach(`${here}.name`, name, dns1123Label(name)));
    names.add(name);
    const given = Object.entries({ resourceClaimName, resourceClaimTemplateName });
    const set = given.filter(([, value]) => value !== undefined);
    if (set.length !== 1) {
      const detail =
        set.length === 2
          ? "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
          : "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
      findings.push(invalid(here, resourceClaimDump(claim), detail));
    }
    for (const [field, value = ""] of set) {
      findings.push(...invalidEach(`${here}.${field}`, value, dns1123Subdomain(value)));
    }
    return findings;
  });
}
