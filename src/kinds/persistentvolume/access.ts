/** Pure: what claims and volumes share: the ways of access, and their short names in tables. */

export const ACCESS_MODES = [
  "ReadOnlyMany",
  "ReadWriteMany",
  "ReadWriteOnce",
  "ReadWriteOncePod",
] as const;

/** Where the columns of claims and volumes send their reader. */
export const ABOUT_VOLUMES =
  "More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes";

const SHORT: readonly (readonly [mode: string, short: string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

/** An annotation named the class before there was a field for it, and still goes before it. */
export const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

export function formatAccessModes(modes: readonly string[] = []): string {
  return SHORT.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");
}
