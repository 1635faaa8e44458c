/** Pure: functions for semantic versions: "1.2.3-rc.1". */
import type { Library } from "../functions.ts";
import { CelError, Opaque } from "../value.ts";

interface Version {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly pre: readonly string[];
}

const VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?$/;

function parse(text: string): Version | undefined {
  const [, major, minor, patch, pre = ""] = VERSION.exec(text) ?? [];
  if (major === undefined || minor === undefined || patch === undefined) return undefined;
  return {
    numbers: [BigInt(major), BigInt(minor), BigInt(patch)],
    pre: pre === "" ? [] : pre.split("."),
  };
}

/** Converts "v1.2" to "1.2.0". */
function normalized(text: string): string {
  const [, numbers = "", rest = ""] = /^v?([\d.]*)(.*)$/s.exec(text) ?? [];
  const parts = numbers.split(".").map((part) => part.replace(/^0+(?=\d)/, ""));
  while (parts.length < 3) parts.push("0");
  return `${parts.join(".")}${rest}`;
}

function semver(text: unknown, isLoose = false): Opaque {
  const given = isLoose ? normalized(text as string) : (text as string);
  const parsed = parse(given);
  if (parsed) return new Opaque("Semver", parsed, given.replace(/\+.*$/, ""));
  throw new CelError(`semver parse error during conversion from string: ${String(text)}`);
}

const content = (value: unknown) => (value as Opaque).content as Version;

function compareVersions(one: Version, other: Version): number {
  for (const at of [0, 1, 2] as const) {
    if (one.numbers[at] !== other.numbers[at]) return one.numbers[at] < other.numbers[at] ? -1 : 1;
  }
  if (one.pre.length === 0 || other.pre.length === 0) return other.pre.length - one.pre.length;
  for (let at = 0; at < Math.max(one.pre.length, other.pre.length); at++) {
    const order = comparePart(one.pre[at], other.pre[at]);
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(one: string | undefined, other: string | undefined): number {
  if (one === other) return 0;
  if (one === undefined || other === undefined) return one === undefined ? -1 : 1;
  const [left, right] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (left && right) return BigInt(one) < BigInt(other) ? -1 : 1;
  if (left !== right) return left ? -1 : 1;
  return one < other ? -1 : 1;
}

const order = (one: unknown, other: unknown) =>
  Math.sign(compareVersions(content(one), content(other)));

export const semanticVersions: Library = {
  "semver(string): Semver": ([text]) => semver(text),
  "semver(string, bool): Semver": ([text, isLoose]) => semver(text, isLoose as boolean),
  "isSemver(string): bool": ([text]) => parse(text as string) !== undefined,
  "isSemver(string, bool): bool": ([text, isLoose]) =>
    parse(isLoose ? normalized(text as string) : (text as string)) !== undefined,
  "Semver.major(): int": ([value]) => content(value).numbers[0],
  "Semver.minor(): int": ([value]) => content(value).numbers[1],
  "Semver.patch(): int": ([value]) => content(value).numbers[2],
  "Semver.compareTo(Semver): int": ([one, other]) => BigInt(order(one, other)),
  "Semver.isLessThan(Semver): bool": ([one, other]) => order(one, other) < 0,
  "Semver.isGreaterThan(Semver): bool": ([one, other]) => order(one, other) > 0,
};
