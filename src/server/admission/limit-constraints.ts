/** Pure: checks requests and limits against one item of a LimitRange. */
import type { LimitRangeItem } from "../../api/generated/core.ts";
import { compareQuantities, getQuantity, isZero, milliUnits } from "../../api/quantity.ts";
import type { ResourceList } from "../../kinds/pod/resources.ts";

export interface Constraint {
  /** "Container", as in the error messages. */
  readonly type: string;
  readonly item: LimitRangeItem;
  /** False for claims, which have only requests. */
  readonly hasLimits: boolean;
}

export interface Resources {
  readonly requests?: ResourceList;
  readonly limits?: ResourceList;
}

export function constraintProblems(constraint: Constraint, resources: Resources): string[] {
  const { item, type, hasLimits } = constraint;
  const { requests = {}, limits = {} } = resources;
  const check = (
    bounds: ResourceList | undefined,
    problemOf: (amounts: Amounts) => string | undefined,
  ) =>
    Object.entries(bounds ?? {}).flatMap(([resource, bound]) => {
      const request = requests[resource];
      const limit = limits[resource];
      return problemOf({ resource, type, bound, request, limit }) ?? [];
    });
  return [
    ...check(item.min, belowMinimum),
    ...check(item.max, hasLimits ? aboveMaximum : requestAboveMaximum),
    ...check(item.maxLimitRequestRatio, aboveRatio),
  ];
}

interface Amounts {
  readonly resource: string;
  readonly type: string;
  readonly bound: string;
  readonly request: string | undefined;
  readonly limit: string | undefined;
}

function belowMinimum({ resource, type, bound, request, limit }: Amounts): string | undefined {
  const rule = `minimum ${resource} usage per ${type} is ${bound}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (compare(request, bound) < 0) return `${rule}, but request is ${request}`;
  if (limit !== undefined && compare(limit, bound) < 0) return `${rule}, but limit is ${limit}`;
  return undefined;
}

function aboveMaximum({ resource, type, bound, request, limit }: Amounts): string | undefined {
  const rule = `maximum ${resource} usage per ${type} is ${bound}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (compare(limit, bound) > 0) return `${rule}, but limit is ${limit}`;
  if (request !== undefined && compare(request, bound) > 0) {
    return `${rule}, but request is ${request}`;
  }
  return undefined;
}

function requestAboveMaximum({ resource, type, bound, request }: Amounts): string | undefined {
  const rule = `maximum ${resource} usage per ${type} is ${bound}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  return compare(request, bound) > 0 ? `${rule}, but request is ${request}` : undefined;
}

function aboveRatio({ resource, type, bound, request, limit }: Amounts): string | undefined {
  const rule = `${resource} max limit to request ratio per ${type} is ${bound}`;
  if (request === undefined || isZero(getQuantity(request))) {
    return `${rule}, but no request is specified or request is 0`;
  }
  if (limit === undefined || isZero(getQuantity(limit))) {
    return `${rule}, but no limit is specified or limit is 0`;
  }
  const ratio = milli(limit) / milli(request);
  if (ratio * 1000 <= milli(bound)) return undefined;
  return `${rule}, but provided ratio is ${ratio.toFixed(6)}`;
}

function compare(one: string, other: string): number {
  return compareQuantities(getQuantity(one), getQuantity(other));
}

function milli(amount: string): number {
  return Number(milliUnits(getQuantity(amount)));
}
