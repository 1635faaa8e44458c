/** Pure: converts YAML to JSON, which the server's main thread parses quickly. */
import { formatExact } from "../../../api/schema/parsed-json.ts";
import { parseYaml, TooManyValues, YamlError } from "../../../api/schema/yaml-text.ts";

export type YamlOutcome =
  | { readonly json: string; readonly repeatedKeys: readonly string[]; readonly isExact: boolean }
  | { readonly problem: string }
  | { readonly isTooLarge: true };

export function readYamlText(text: string, mostValues: number): YamlOutcome {
  try {
    const { value, exact, repeatedKeys } = parseYaml(text, mostValues);
    const isExact = exact !== undefined;
    return { json: isExact ? formatExact(exact) : JSON.stringify(value), repeatedKeys, isExact };
  } catch (error) {
    if (error instanceof TooManyValues) return { isTooLarge: true };
    if (error instanceof YamlError) return { problem: error.message };
    throw error;
  }
}
