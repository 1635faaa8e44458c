/** Pure: finds keys that occur more than once in a JSON text. */
import { type ExactJson, type ParsedJson, RepeatedKeys } from "./parsed-json.ts";

/** One message per path, in the order of the text. */
export function findDuplicates({ exact }: ParsedJson): string[] {
  if (exact === undefined) return [];
  const found = new Set<string>();
  collect(exact, "", found);
  return [...found].map((path) => `duplicate field "${path}"`);
}

function collect(json: ExactJson, path: string, found: Set<string>): void {
  if (json === null || typeof json !== "object") return;
  if (Array.isArray(json)) {
    for (const [index, item] of json.entries()) collect(item, `${path}[${index}]`, found);
    return;
  }
  const entries = json instanceof RepeatedKeys ? json.entries : Object.entries(json);
  const seen = new Set<string>();
  for (const [key, value] of entries) {
    const at = path === "" ? key : `${path}.${key}`;
    if (seen.has(key)) found.add(at);
    seen.add(key);
    collect(value, at, found);
  }
}
