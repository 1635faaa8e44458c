/** Pure: what a container asks for, as one of its variables is told it. */
import type { Container, ResourceFieldSelector } from "../../api/generated/core.ts";
import { getQuantity } from "../../api/quantity.ts";

/** In units of the divisor, rounded up; "0" where the container does not say. */
export function containerResourceValue(
  { resources }: Container,
  { resource, divisor }: ResourceFieldSelector,
): string {
  const [kind, ...rest] = resource.split(".");
  const amounts = kind === "limits" ? resources?.limits : resources?.requests;
  const amount = amounts?.[rest.join(".")];
  if (amount === undefined) return "0";
  const unit = divisor && getQuantity(divisor).nanos > 0n ? getQuantity(divisor).nanos : ONE;
  const { nanos } = getQuantity(amount);
  return String((nanos + unit - 1n) / unit);
}

const ONE = 1_000_000_000n;
