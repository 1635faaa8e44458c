/** Pure: validates labels and annotations. */
import { type Finding, invalid, tooLong } from "../../api/finding.ts";
import { labelValue, qualifiedName } from "../../api/names.ts";

export type StringMap = { readonly [key: string]: string };

/** The limit for the keys and values of all annotations of an object together. */
export const ANNOTATIONS_MAX_BYTES = 256 * 1024;

export function validateLabels(labels: StringMap | undefined, path: string): Finding[] {
  const findings: Finding[] = [];
  for (const key in labels) {
    const value = labels[key] ?? "";
    findings.push(...validateLabelName(key, path));
    for (const problem of labelValue(value)) findings.push(invalid(path, value, problem));
  }
  return findings;
}

export function validateLabelName(name: string, path: string): Finding[] {
  return qualifiedName(name).map((problem) => invalid(path, name, problem));
}

/**
 * Keys are compared case-insensitively, and values are arbitrary; only the total size is limited.
 */
export function validateAnnotations(annotations: StringMap | undefined, path: string): Finding[] {
  const findings: Finding[] = [];
  let bytes = 0;
  for (const key in annotations) {
    for (const problem of qualifiedName(key.toLowerCase())) {
      findings.push(invalid(path, key, problem));
    }
    bytes += byteLength(key) + byteLength(annotations[key] ?? "");
  }
  if (bytes > ANNOTATIONS_MAX_BYTES) findings.push(tooLong(path, ANNOTATIONS_MAX_BYTES));
  return findings;
}

/** The length of a text in UTF-8, which is what Kubernetes counts. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
