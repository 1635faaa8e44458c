/** Pure: what claims and volumes share: access modes, and their abbreviations in tables. */

export const ACCESS_MODES = [
  "ReadOnlyMany",
  "ReadWriteMany",
  "ReadWriteOnce",
  "ReadWriteOncePod",
] as const;

/** The reference in the descriptions of columns of claims and volumes. */
export const ABOUT_VOLUMES =
  "More info: https://kubernetes.io/docs/concepts/storage/persistent-volumes";

const SHORT: readonly (readonly [mode: string, short: string])[] = [
  ["ReadWriteOnce", "RWO"],
  ["ReadOnlyMany", "ROX"],
  ["ReadWriteMany", "RWX"],
  ["ReadWriteOncePod", "RWOP"],
];

/** The annotation used before the field existed. It still takes precedence. */
export const CLASS_ANNOTATION = "volume.beta.kubernetes.io/storage-class";

export function formatAccessModes(modes: readonly string[] = []): string {
  return SHORT.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(",");
}
