/** Pure: checks whether the rules of a schema compile, and what they cost. */
import { isEqual } from "../../api/equal.ts";
import { type Finding, invalid } from "../../api/finding.ts";
import {
  type CompiledRule,
  compiledRules,
  hasRules,
  usesOldSelf,
} from "../customresource/rules.ts";
import { additionalOf, itemsOf, type Schema } from "../customresource/schema.ts";
import { RuleCosts, type RulePlace, timesWithin } from "./rule-costs.ts";

/** `old` is the schema before an update, if there was one. */
export function validateRules(
  schema: Schema,
  path: string,
  old: Schema | undefined,
  /** If a schema has other errors, errors of its rules would only be confusing. */
  isMistaken: (path: string) => boolean = () => false,
): Finding[] {
  if (!hasRules(schema)) return [];
  const costs = new RuleCosts(old !== undefined && isEqual(schema, old));
  const place = { path, isRoot: true, times: 1, isMistaken };
  return [...validatePart(schema, place, costs), ...costs.ofAll(path)];
}

interface Place extends RulePlace {
  /** The path of the enclosing list whose items cannot be correlated with old items. */
  readonly uncorrelated?: string;
  readonly isMistaken: (path: string) => boolean;
}

function validatePart(schema: Schema, place: Place, costs: RuleCosts): Finding[] {
  if (!hasRules(schema)) return [];
  const { path, isRoot, uncorrelated, isMistaken } = place;
  const times = timesWithin(schema, place.times);
  const inner = (part: Schema, at: string, list = uncorrelated) => {
    const known = list === undefined ? {} : { uncorrelated: list };
    const within = { path: `${path}.${at}`, isRoot: false, times, isMistaken, ...known };
    return validatePart(part, within, costs);
  };
  const items = itemsOf(schema);
  const additional = additionalOf(schema);
  const isMap = schema["x-kubernetes-list-type"] === "map";
  return [
    ...(typeof additional === "object" ? inner(additional, "additionalProperties") : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
      inner(property, `properties[${name}]`),
    ),
    ...(items ? inner(items, "items", isMap ? uncorrelated : (uncorrelated ?? path)) : []),
    ...(isMistaken(path) ? [] : compiledRules(schema, isRoot)).flatMap((compiled, at) => {
      const rulePlace = { ...place, path: `${path}.x-kubernetes-validations[${at}]` };
      return validateRule(compiled, schema, rulePlace, costs);
    }),
  ];
}

function validateRule(
  compiled: CompiledRule,
  schema: Schema,
  place: Place,
  costs: RuleCosts,
): Finding[] {
  const { path, uncorrelated } = place;
  const { rule, problems, message } = compiled;
  const findings: Finding[] = [];
  findings.push(...costs.ofRule(compiled, schema, place));
  for (const { field, problem } of problems) {
    const shown = field === "rule" ? rule : (rule.messageExpression ?? "");
    findings.push(invalid(`${path}.${field}`, shown, problem));
  }
  if (message) findings.push(...costs.ofMessage(message, schema, place));
  if (uncorrelated !== undefined && usesOldSelf(compiled)) {
    const problem = "oldSelf cannot be used on the uncorrelatable portion of the schema within";
    findings.push(invalid(`${path}.rule`, rule, `${problem} ${uncorrelated}`));
  }
  return findings;
}
