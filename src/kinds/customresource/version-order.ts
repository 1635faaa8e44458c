/** Pure: the order of the versions of a group: the most stable first, then the newest. */

/** Negative if `one` comes first. Names in other formats come last, sorted as text. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [parse(one), parse(other)];
  if (left && right) {
    return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
  }
  if (left || right) return left ? -1 : 1;
  return one === other ? 0 : one < other ? -1 : 1;
}

interface Version {
  /** 2 for "v1", 1 for "v1beta1", 0 for "v1alpha1". */
  readonly stability: number;
  readonly major: number;
  readonly minor: number;
}

function parse(text: string): Version | undefined {
  const [, major, stage, minor] = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(text) ?? [];
  if (major === undefined) return undefined;
  const stability = stage === undefined ? 2 : stage === "beta" ? 1 : 0;
  return { stability, major: Number(major), minor: Number(minor ?? 0) };
}
