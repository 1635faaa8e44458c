/** Pure: LimitRanges: limits and defaults for the resources of pods, containers and claims. */

import { duplicate, type Finding, forbidden, invalid, required } from "../../api/finding.ts";
import type { LimitRange, LimitRangeItem } from "../../api/generated/core.ts";
import { dns1123Subdomain, qualifiedName } from "../../api/names.ts";
import type { Draft } from "../../api/object.ts";
import {
  compareQuantities,
  formatQuantity,
  getQuantity,
  milliUnits,
  roundUpToMilli,
} from "../../api/quantity.ts";
import { repeats } from "../../base/repeats.ts";
import { defineKind } from "../kind.ts";
import { createdAtColumn, nameColumn } from "../meta/columns.ts";
import { validateObjectMeta } from "../meta/object-meta.ts";
import {
  isOvercommitAllowed,
  validateContainerResourceName,
  validateResourceName,
} from "../pod/resource-names.ts";
import { invalidEach } from "../pod/syntax.ts";

const LISTS = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

export const limitRangeKind = defineKind<LimitRange>({
  group: "",
  version: "v1",
  kind: "LimitRange",
  resource: "limitranges",
  singular: "limitrange",
  namespaced: true,
  shortNames: ["limits"],
  message: "core/v1.LimitRange",
  createsOnUpdate: true,
  rules: {
    setDefaults,
    prepareForCreate,
    validate,
    validateUpdate: (next) => validate(next),
  },
  columns: [nameColumn, createdAtColumn],
  cells: ({ metadata }) => [metadata.name ?? "", metadata.creationTimestamp ?? ""],
});

/** A limit defaults to the maximum, a request to the limit or the minimum. */
function setDefaults({ spec }: Draft<LimitRange>): void {
  for (const item of spec.limits ?? []) {
    for (const list of LISTS) roundAmounts(item[list]);
    if (item.type !== "Container") continue;
    const limits = { ...item.max, ...item.default };
    const requests = { ...item.min, ...limits, ...item.defaultRequest };
    if (Object.keys(limits).length > 0) item.default = limits;
    if (Object.keys(requests).length > 0) item.defaultRequest = requests;
  }
}

function roundAmounts(amounts: { [resource: string]: string } | undefined): void {
  for (const [resource, amount] of Object.entries(amounts ?? {})) {
    if (amounts) amounts[resource] = formatQuantity(roundUpToMilli(getQuantity(amount)));
  }
}

/** The name is not important, so a missing one is replaced by the UID. */
function prepareForCreate({ metadata }: Draft<LimitRange>): void {
  if ((metadata.name ?? "") === "" && metadata.uid !== undefined) metadata.name = metadata.uid;
}

function validate({ metadata, spec }: LimitRange): Finding[] {
  const limits = spec.limits ?? [];
  const findings = validateObjectMeta(metadata, { namespaced: true, nameRule: dns1123Subdomain });
  const repeated = repeats(limits, ({ type }) => type);
  return [
    ...findings,
    ...limits.flatMap((item, at) => {
      const path = `spec.limits[${at}]`;
      return [
        ...validateType(item.type, `${path}.type`),
        ...(repeated[at] ? [duplicate(`${path}.type`, item.type)] : []),
        ...validateItem(item, path),
      ];
    }),
  ];
}

function validateType(type: string, path: string): Finding[] {
  const problems = qualifiedName(type);
  if (problems.length > 0) return invalidEach(path, type, problems);
  if (type.includes("/") || ["Pod", "Container", "PersistentVolumeClaim"].includes(type)) return [];
  return [invalid(path, type, "must be a standard limit type or fully qualified")];
}

function validateItem(item: LimitRangeItem, path: string): Finding[] {
  const findings: Finding[] = [];
  const isPod = item.type === "Pod";
  for (const list of LISTS) {
    const resources = Object.keys(item[list] ?? {});
    if (isPod && list.startsWith("default")) {
      const detail = "may not be specified when `type` is 'Pod'";
      if (resources.length > 0) findings.push(forbidden(`${path}.${list}`, detail));
      continue;
    }
    for (const resource of resources) {
      findings.push(...validateResource(item.type, resource, `${path}.${list}[${resource}]`));
    }
  }
  const hasStorage = [item.min, item.max].some((list) => list?.["storage"] !== undefined);
  if (item.type === "PersistentVolumeClaim" && !hasStorage) {
    const rule = "either minimum or maximum storage value is required, but neither was provided";
    findings.push(required(`${path}.limits`, rule));
  }
  const lists = isPod
    ? [item.max, item.min, item.maxLimitRequestRatio]
    : LISTS.map((list) => item[list]);
  const resources = new Set(lists.flatMap((list) => Object.keys(list ?? {})));
  return [...findings, ...[...resources].flatMap((name) => validateOrder(item, name, path))];
}

function validateResource(type: string, resource: string, path: string): Finding[] {
  if (type === "Pod" || type === "Container") return validateContainerResourceName(resource, path);
  return validateResourceName(resource, path);
}

/** The amounts of a resource must be in order: min, default request, default limit, max. */
function validateOrder(item: LimitRangeItem, resource: string, path: string): Finding[] {
  const isPod = item.type === "Pod";
  const min = item.min?.[resource];
  const max = item.max?.[resource];
  const limit = isPod ? undefined : item.default?.[resource];
  const request = isPod ? undefined : item.defaultRequest?.[resource];
  const at = (list: string) => `${path}.${list}[${resource}]`;
  const words = { min: "min value", max: "max value" };
  return [
    ...inOrder([min, words.min], [max, words.max], at("min"), min),
    ...inOrder([min, words.min], [request, "default request value"], at("defaultRequest"), request),
    ...inOrder([request, "default request value"], [max, words.max], at("defaultRequest"), request),
    ...inOrder(
      [request, "default request value"],
      [limit, "default limit value"],
      at("defaultRequest"),
      request,
    ),
    ...inOrder([min, words.min], [limit, "default value"], at("default"), min),
    ...inOrder([limit, "default value"], [max, words.max], at("default"), max),
    ...validateRatio(
      item.maxLimitRequestRatio?.[resource],
      { min, max },
      at("maxLimitRequestRatio"),
    ),
    ...validateEqual(resource, { limit, request }, at("defaultRequest")),
  ];
}

type Named = readonly [amount: string | undefined, words: string];

function inOrder(
  [low, lowWords]: Named,
  [high, highWords]: Named,
  path: string,
  shown: string | undefined,
): Finding[] {
  if (low === undefined || high === undefined || compare(low, high) <= 0) return [];
  return [invalid(path, shown, `${lowWords} ${low} is greater than ${highWords} ${high}`)];
}

function compare(one: string, other: string): number {
  return compareQuantities(getQuantity(one), getQuantity(other));
}

function validateRatio(
  ratio: string | undefined,
  { min, max }: { min: string | undefined; max: string | undefined },
  path: string,
): Finding[] {
  if (ratio === undefined) return [];
  const findings =
    compare(ratio, "1") < 0 ? [invalid(path, ratio, `ratio ${ratio} is less than 1`)] : [];
  if (min === undefined || max === undefined) return findings;
  const limit = Number(milliUnits(getQuantity(max))) / Number(milliUnits(getQuantity(min)));
  if (Number(milliUnits(getQuantity(ratio))) / 1000 <= limit) return findings;
  const detail = `ratio ${ratio} is greater than max/min = ${limit.toFixed(6)}`;
  return [...findings, invalid(path, ratio, detail)];
}

function validateEqual(
  resource: string,
  { limit, request }: { limit: string | undefined; request: string | undefined },
  path: string,
): Finding[] {
  if (isOvercommitAllowed(resource) || limit === undefined || request === undefined) return [];
  if (compare(limit, request) === 0) return [];
  const rule = `default value ${limit} must equal to defaultRequest value ${request}`;
  return [invalid(path, request, `${rule} in ${resource}`)];
}
