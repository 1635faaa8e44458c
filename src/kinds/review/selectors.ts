/** Pure: validates the selectors of an access review, and finds the parts that are ignored. */
import { type Finding, forbidden, invalid, required } from "../../api/finding.ts";
import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  ResourceAttributes,
} from "../../api/generated/authorization.ts";
import type { LabelSelectorRequirement } from "../../api/generated/meta.ts";
import { labelValue, qualifiedName } from "../../api/names.ts";
import { parseFieldSelector } from "../../api/selectors/field-selector-query.ts";
import { parseLabelSelector } from "../../api/selectors/label-selector-query.ts";

const FIELDS = "spec.resourceAttributes.fieldSelector";
const LABELS = "spec.resourceAttributes.labelSelector";

export function validateSelectors(resource: ResourceAttributes): Finding[] {
  const { fieldSelector, labelSelector } = resource;
  return [
    ...validateSelector(fieldSelector, FIELDS, validateFieldRequirement),
    ...validateSelector(labelSelector, LABELS, validateLabelRequirement),
  ];
}

/** The requirements of a field selector have the same form. */
type Requirement = LabelSelectorRequirement;
type Selector = FieldSelectorAttributes | LabelSelectorAttributes;

function validateSelector(
  selector: Selector | undefined,
  path: string,
  rule: (requirement: Requirement, path: string) => Finding[],
): Finding[] {
  if (!selector) return [];
  const { rawSelector = "", requirements = [] } = selector;
  if (rawSelector !== "" && requirements.length > 0) {
    const problem = "may not specified at the same time as requirements";
    return [invalid(`${path}.rawSelector`, rawSelector, problem)];
  }
  if (rawSelector === "" && requirements.length === 0) {
    const problem = `when ${path} is specified, requirements or rawSelector is required`;
    return [required(`${path}.requirements`, problem)];
  }
  return requirements.flatMap((each, at) => rule(each, `${path}.requirements[${at}]`));
}

function validateFieldRequirement(requirement: Requirement, path: string): Finding[] {
  return [
    ...(requirement.key === "" ? [required(`${path}.key`, "must be specified")] : []),
    ...validateValues(requirement, path),
  ];
}

function validateLabelRequirement(requirement: Requirement, path: string): Finding[] {
  const { key, values } = requirement;
  return [
    ...validateValues(requirement, path),
    ...qualifiedName(key).map((problem) => invalid(`${path}.key`, key, problem)),
    ...(values ?? []).flatMap((value, at) =>
      labelValue(value).map((problem) => invalid(`${path}.values[${at}]`, value, problem)),
    ),
  ];
}

/** An unknown operator is not an error, because newer clients may use it. */
function validateValues({ operator, values }: Requirement, path: string): Finding[] {
  const count = values?.length ?? 0;
  if ((operator === "In" || operator === "NotIn") && count === 0) {
    return [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  }
  if ((operator === "Exists" || operator === "DoesNotExist") && count > 0) {
    const problem = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    return [forbidden(`${path}.values`, problem)];
  }
  return [];
}

/** The parts of the selectors that cannot be parsed. The decision ignores them. */
export function ignoredSelectors({ fieldSelector, labelSelector }: ResourceAttributes): string[] {
  return [
    ...ignored(fieldSelector, FIELDS, parseFieldSelector, isFieldTerm),
    ...ignored(labelSelector, LABELS, parseLabelSelector, isLabelTerm),
  ];
}

function ignored(
  selector: Selector | undefined,
  path: string,
  parse: (text: string) => unknown,
  isKnown: (requirement: Requirement) => boolean,
): string[] {
  if (!selector) return [];
  const { rawSelector = "", requirements = [] } = selector;
  const known = requirements.filter(isKnown).length;
  if (rawSelector === "" ? known === requirements.length : canParse(rawSelector, parse)) return [];
  return [`${path} ${known > 0 ? "partially " : ""}ignored due to parse error`];
}

function canParse(text: string, parse: (text: string) => unknown): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

function isFieldTerm({ operator, values }: Requirement): boolean {
  return (operator === "In" || operator === "NotIn") && values?.length === 1;
}

function isLabelTerm({ operator }: Requirement): boolean {
  return ["In", "NotIn", "Exists", "DoesNotExist"].includes(operator);
}
