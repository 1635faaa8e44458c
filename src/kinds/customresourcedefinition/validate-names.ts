/** Pure: validates the names of a kind. */
import { type Finding, invalid } from "../../api/finding.ts";
import type { CustomResourceDefinitionNames } from "../../api/generated/apiextensions.ts";
import { dns1035Label } from "../../api/names.ts";

const MIXED = "may have mixed case, but should otherwise match: ";

export function validateNames(names: CustomResourceDefinitionNames, path: string): Finding[] {
  const label = (field: string, given: string, shown = given, prefix = ""): Finding[] => {
    const problems = dns1035Label(given);
    if (problems.length === 0) return [];
    return [invalid(`${path}.${field}`, shown, `${prefix}${problems.join(",")}`)];
  };
  const optional: typeof label = (field, given, shown, prefix) =>
    given === "" ? [] : label(field, given, shown, prefix);
  const { plural, singular = "", kind, listKind = "", shortNames = [], categories = [] } = names;
  const isAmbiguous = kind !== "" && kind === listKind;
  return [
    ...optional("plural", plural),
    ...optional("singular", singular),
    ...optional("kind", kind.toLowerCase(), kind, MIXED),
    ...optional("listKind", listKind.toLowerCase(), listKind, MIXED),
    ...shortNames.flatMap((name, at) => label(`shortNames[${at}]`, name)),
    ...(isAmbiguous
      ? [invalid(`${path}.listKind`, listKind, "kind and listKind may not be the same")]
      : []),
    ...categories.flatMap((name, at) => label(`categories[${at}]`, name)),
  ];
}
