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
  let bytes = 0;
  for (const key in data) {
    for (const problem of configMapKey(key)) {
      findings.push(invalid(`data[${key}]`, key, problem));
    }
    if (Object.hasOwn(binaryData, key)) {
      findings.push(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    }
    bytes += byteLength(data[key] ?? "");
  }
  for (const key in binaryData) {
    for (const problem of configMapKey(key)) {
      findings.push(invalid(`binaryData[${key}]`, key, problem));
    }
    bytes += base64Bytes(binaryData[key] ?? "");
  }
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
