/** Pure: whether two canonical objects are equal. */

/**
 * Structural equality. Empty, null and absent lists are equal, because Kubernetes does not
 * distinguish a nil slice from an empty one. Quantities and times are compared as canonical texts.
 */
export function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (isNothing(one) || isNothing(other)) return isNothing(one) && isNothing(other);
  if (Array.isArray(one) || Array.isArray(other)) return isEqualList(one, other);
  if (typeof one !== "object" || typeof other !== "object") return false;
  return isEqualRecord(one as Fields, other as Fields);
}

type Fields = { readonly [key: string]: unknown };

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function isEqualList(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return false;
  return one.length === other.length && one.every((item, at) => isEqual(item, other[at]));
}

function isEqualRecord(one: Fields, other: Fields): boolean {
  for (const key in one) if (!isEqual(one[key], other[key])) return false;
  for (const key in other) if (!Object.hasOwn(one, key) && !isNothing(other[key])) return false;
  return true;
}
