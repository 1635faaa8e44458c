/** Pure: amounts that are a number or a percentage: 3, "25%". */
import { type Finding, invalid } from "../../api/finding.ts";
import { regexProblem } from "../../api/names.ts";
import { validateNonnegative } from "./object-meta.ts";

export function validateIntOrPercent(amount: number | string, path: string): Finding[] {
  if (typeof amount === "number") return validateNonnegative(amount, path);
  if (isPercent(amount)) return [];
  const rule = "a valid percent string must be a numeric string followed by an ending '%'";
  return [invalid(path, amount, regexProblem(rule, "[0-9]+%", ["1%", "93%"]))];
}

export function validateAtMostWhole(amount: number | string, path: string): Finding[] {
  if (!isPercent(amount) || numberOf(amount) <= 100) return [];
  return [invalid(path, amount, "must not be greater than 100%")];
}

/** The number or percentage; 0 if it is invalid. */
export function numberOf(amount: number | string): number {
  if (typeof amount === "number") return amount;
  return /^([0-9]+%|[-+]?[0-9]+)$/.test(amount) ? Number.parseInt(amount, 10) : 0;
}

function isPercent(amount: number | string): amount is string {
  return typeof amount === "string" && /^[0-9]+%$/.test(amount);
}
