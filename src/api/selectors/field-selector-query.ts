/** Pure: parses and evaluates the fieldSelector of a query like Kubernetes. */
import { badRequest } from "../errors.ts";
import { quote } from "../finding.ts";
import { MOST_REQUIREMENTS, tooManyRequirements } from "./requirements.ts";

export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** Throws a 400 with the message of fields.ParseSelector. */
export function parseFieldSelector(text: string): FieldRequirement[] {
  const terms = splitTerms(text)
    .sort()
    .filter((term) => term !== "");
  if (terms.length > MOST_REQUIREMENTS) throw tooManyRequirements("field");
  return terms
    .map((term): FieldRequirement => {
      const [, field = "", operator, value = ""] = /^(.*?)(!=|==|=)(.*)$/s.exec(term) ?? [];
      if (operator === undefined) {
        throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      }
      return { field, operator: operator === "!=" ? "!=" : "=", value: unescapeValue(value) };
    })
    .filter(({ field, value }) => field !== "" || value !== "");
}

/** A field that the lookup does not know has the empty value. */
export function matchesFields(
  requirements: readonly FieldRequirement[],
  lookup: (field: string) => string | undefined,
): boolean {
  return requirements.every(
    ({ field, operator, value }) => ((lookup(field) ?? "") === value) === (operator === "="),
  );
}

/** The one value the field must have, so that an index can be used before objects are filtered. */
export function findFieldEquality(
  requirements: readonly FieldRequirement[],
  field: string,
): string | undefined {
  return requirements.find((each) => each.field === field && each.operator === "=")?.value;
}

/** The fields that a kind supports in selectors. */
export interface SelectableKind {
  readonly kind: string;
  readonly namespaced: boolean;
  readonly selectableFields?: { readonly [field: string]: unknown };
}

/** Throws a 400, in Kubernetes' wording, for the first field that the kind does not support. */
export function checkFields(
  requirements: readonly FieldRequirement[],
  selectable: SelectableKind,
): void {
  for (const { field } of requirements) {
    if (!offers(selectable, field)) throw badRequest(unsupported(selectable, field));
  }
}

function offers({ namespaced, selectableFields }: SelectableKind, field: string): boolean {
  if (field === "metadata.name") return true;
  // A cluster-scoped kind that lists its fields does not support the namespace; other kinds always
  // do.
  if (field === "metadata.namespace") return namespaced || selectableFields === undefined;
  return selectableFields !== undefined && Object.hasOwn(selectableFields, field);
}

function unsupported({ kind, selectableFields }: SelectableKind, field: string): string {
  if (selectableFields === undefined) {
    const known = `only "metadata.name", "metadata.namespace"`;
    return `${quote(field)} is not a known field selector: ${known}`;
  }
  if (kind === "Job") return `field label ${quote(field)} not supported for Job`;
  if (kind === "StatefulSet") return `field label not supported for appsv1.StatefulSet: ${field}`;
  return `field label not supported: ${field}`;
}

/** A backslash escapes a comma. */
function splitTerms(text: string): string[] {
  return [...text.matchAll(/((?:\\.|[^\\,]|\\$)*)(?:,|$)/gsu)].map(([, term = ""]) => term);
}

function unescapeValue(value: string): string {
  return value.replace(/\\(.?)|[,=]/gsu, (piece, escaped: string | undefined) => {
    if (escaped === undefined) {
      // Go prints the rune as its number.
      const rune = piece.codePointAt(0);
      throw badRequest(`invalid field selector: unescaped character in value: ${rune}`);
    }
    if (/^[\\,=]$/.test(escaped)) return escaped;
    throw badRequest(`invalid field selector: invalid escape sequence: ${piece}`);
  });
}
