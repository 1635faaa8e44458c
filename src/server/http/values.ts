/** Pure: counts the values in a body, because the work depends on them more than on the bytes. */
import { ApiError } from "../../api/errors.ts";
import { parseRoute } from "./route.ts";

/** Kubernetes' own kinds are small: an EndpointSlice with 1,000 addresses has 12,000 values. */
export const MOST_VALUES = 20_000;
/** CustomResourceDefinitions are the largest objects; custom objects may be as large. */
export const MOST_CUSTOM_VALUES = 50_000;
/** A Workflow has up to 5,000 steps. */
const MOST_OWN_VALUES = 100_000;
const OWN_GROUP = "tallyjob.io";
const DEFINITIONS_GROUP = "apiextensions.k8s.io";

/** How many values a body from the network may have for this path. */
export function mostValuesAt(path: string): number {
  const route = parseRoute(path);
  if (route?.kind !== "resource") return MOST_VALUES;
  const { group } = route.resource;
  if (group === OWN_GROUP) return MOST_OWN_VALUES;
  const isCustom = group.includes(".") && !group.endsWith(".k8s.io");
  return isCustom || group === DEFINITIONS_GROUP ? MOST_CUSTOM_VALUES : MOST_VALUES;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;

/** Counts without parsing: in JSON each value follows a comma or an opening bracket. */
export function hasMoreValues(json: Buffer, most: number): boolean {
  let values = 1;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = endOfText(json, at);
    else if (byte === COMMA || byte === OPENING_BRACKET || byte === OPENING_BRACE) values += 1;
    if (values > most) return true;
  }
  return false;
}

function endOfText(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end >= 0; end = json.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}

export function tooManyValues(most: number): ApiError {
  const problem = `Request entity too large: limit is ${most} fields and items`;
  return new ApiError(413, "RequestEntityTooLarge", problem);
}
