/**
 * Pure: ConfigMaps. Keys must be valid file names, the values are limited to 1 MiB, and `immutable`
 * cannot be undone. The size limit is shared with Secrets.
 */
import { isEqual } from "../../api/equal.ts";
import { type Finding, forbidden, invalid, tooLong } from "../../api/finding.ts";
import type { ConfigMap } from "../../api/generated/core.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import { age } from "../../api/print/age.ts";
import { defineKind } from "../kind.ts";
import { byteLength } from "../meta/labels.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { configMapKey } from "../pod/syntax.ts";
import { columns } from "./columns.ts";
import { base64Bytes, DATA_MAX_BYTES } from "./data.ts";

export const configMapKind = defineKind<ConfigMap>({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  resource: "configmaps",
  singular: "configmap",
  namespaced: true,
  shortNames: ["cm"],
  message: "core/v1.ConfigMap",
  rules: { validate, validateUpdate },
  columns,
  cells: ({ metadata, data = {}, binaryData = {} }, now) => [
    metadata.name ?? "",
    Object.keys(data).length + Object.keys(binaryData).length,
    age(metadata.creationTimestamp, now),
  ],
});

function validate(configMap: ConfigMap): Finding[] {
  const rules = { namespaced: true, nameRule: dns1123Subdomain };
  return [...validateObjectMeta(configMap.metadata, rules), ...validateData(configMap)];
}

function validateData({ data = {}, binaryData = {} }: ConfigMap): Finding[] {
  const findings: Finding[] = [];
  for (const key of Object.keys(data)) {
    findings.push(...configMapKey(key).map((problem) => invalid(`data[${key}]`, key, problem)));
    if (Object.hasOwn(binaryData, key)) {
      findings.push(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    }
  }
  for (const key of Object.keys(binaryData)) {
    const problems = configMapKey(key);
    findings.push(...problems.map((problem) => invalid(`binaryData[${key}]`, key, problem)));
  }
  const bytes =
    Object.values(data).reduce((sum, value) => sum + byteLength(value), 0) +
    Object.values(binaryData).reduce((sum, value) => sum + base64Bytes(value), 0);
  if (bytes > DATA_MAX_BYTES) findings.push(tooLong("[]", DATA_MAX_BYTES));
  return findings;
}

function validateUpdate(next: ConfigMap, old: ConfigMap): Finding[] {
  const findings = validateObjectMetaUpdate(next.metadata, old.metadata);
  if (old.immutable === true) {
    const detail = "field is immutable when `immutable` is set";
    if (next.immutable !== true) findings.push(forbidden("immutable", detail));
    if (!isEqual(next.data ?? {}, old.data ?? {})) findings.push(forbidden("data", detail));
    if (!isEqual(next.binaryData ?? {}, old.binaryData ?? {})) {
      findings.push(forbidden("binaryData", detail));
    }
  }
  return [...findings, ...validate(next)];
}
