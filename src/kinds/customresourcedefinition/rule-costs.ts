/** Pure: checks the cost of the rules of a schema, each by itself and all together. */
import { type Finding, forbidden } from "../../api/finding.ts";
import { limited } from "../cel/cost/size.ts";
import type { Expression } from "../cel/expression.ts";
import { mostTimes, ruleBounds } from "../customresource/rule-bounds.ts";
import type { CompiledRule } from "../customresource/rules.ts";
import { additionalOf, isEmbedded, type Schema } from "../customresource/schema.ts";

const MAX_RULE_COST = 10_000_000;
const MAX_SCHEMA_COST = 100_000_000;
/** A rule with less than this share of the total cost is not named. */
const NAMED_SHARE = 0.01;
const MOST_NAMED = 4;

/** Accumulates the costs of a schema's rules. */
export class RuleCosts {
  private total = 0;
  private readonly expensive: { readonly path: string; readonly cost: number }[] = [];

  /** If the schema is unchanged, rules that were accepted before stay accepted. */
  constructor(private readonly isUnchanged: boolean) {}

  /** `place.times` is how often the schema may occur in an object; undefined if unknown. */
  ofRule(compiled: CompiledRule, schema: Schema, place: RulePlace): Finding[] {
    const bounds = ruleBounds(schema, place.isRoot || isEmbedded(schema));
    const { expression } = compiled;
    if (!bounds || !expression) return [];
    const times = place.times ?? mostTimes(bounds);
    const cost = limited(expression.worstCost(bounds) * times);
    return this.note("estimated rule cost", `${place.path}.rule`, cost);
  }

  ofMessage(message: Expression, schema: Schema, place: RulePlace): Finding[] {
    const bounds = ruleBounds(schema, place.isRoot || isEmbedded(schema));
    if (!bounds) return [];
    const at = `${place.path}.messageExpression`;
    return this.note("estimated messageExpression cost", at, message.worstCost(bounds));
  }

  ofAll(path: string): Finding[] {
    if (this.total <= MAX_SCHEMA_COST) return [];
    const contributed =
      "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    const named = [...this.expensive].sort((left, right) => right.cost - left.cost);
    const what = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
    return [
      ...named.slice(0, MOST_NAMED).map((each) => forbidden(each.path, contributed)),
      forbidden(path, problemOf(what, this.total / MAX_SCHEMA_COST)),
    ];
  }

  private note(what: string, path: string, cost: number): Finding[] {
    this.total = limited(this.total + cost);
    if (cost >= MAX_SCHEMA_COST * NAMED_SHARE) this.expensive.push({ path, cost });
    if (this.isUnchanged || cost <= MAX_RULE_COST) return [];
    return [forbidden(path, problemOf(what, cost / MAX_RULE_COST))];
  }
}

export interface RulePlace {
  readonly path: string;
  readonly isRoot: boolean;
  readonly times: number | undefined;
}

function problemOf(what: string, factor: number): string {
  const shown =
    factor > 100 ? "more than 100x" : `${factor.toFixed(factor < SMALL_FACTOR ? 6 : 1)}x`;
  const advice =
    "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, " +
    "maps, and strings are declared";
  return `${what} exceeds budget by factor of ${shown} (${advice})`;
}

/** A smaller factor would be rounded to 1, as if the budget were kept. */
const SMALL_FACTOR = 1.5;

/** How often a schema inside another one may occur, given how often the outer one does. */
export function timesWithin(schema: Schema, times: number | undefined): number | undefined {
  const most = mostWithin(schema);
  return times === undefined || most === undefined ? undefined : limited(times * most);
}

function mostWithin(schema: Schema): number | undefined {
  const { type, maxItems, maxProperties } = schema;
  if (type === "array") return maxItems === undefined ? undefined : Math.max(0, maxItems);
  if (type !== "object" || additionalOf(schema) === undefined) return 1;
  return maxProperties === undefined ? undefined : Math.max(0, maxProperties);
}
