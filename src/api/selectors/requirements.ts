/** Pure: how much a selector of a query string may ask for. */
import { type ApiError, badRequest } from "../errors.ts";

/** Every object of a list is held against each: the address has room for 15,000. */
export const MOST_REQUIREMENTS = 500;

export function tooManyRequirements(of: "label" | "field"): ApiError {
  return badRequest(`the ${of} selector has more than ${MOST_REQUIREMENTS} requirements`);
}
