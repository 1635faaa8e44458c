/**
 * Pure: Secrets: data in base64, validated by type. stringData is only an input format: it is
 * merged into data when a Secret is decoded, and never stored. The types are in types.ts.
 */
import { isEqual } from "../../api/equal.ts";
import { type Finding, forbidden, invalid, tooLong } from "../../api/finding.ts";
import type { Secret } from "../../api/generated/core.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import type { Draft } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { base64Bytes, DATA_MAX_BYTES } from "../configmap/data.ts";
import { defineKind } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import {
  validateImmutable,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from "../meta/object-meta.ts";
import { configMapKey } from "../pod/syntax.ts";
import { tlsWarnings, validateByType } from "./types.ts";

export const secretKind = defineKind<Secret>({
  group: "",
  version: "v1",
  kind: "Secret",
  resource: "secrets",
  singular: "secret",
  namespaced: true,
  message: "core/v1.Secret",
  rules: {
    setDefaults,
    validate,
    warningsOnCreate: tlsWarnings,
    validateUpdate,
    warningsOnUpdate: tlsWarnings,
  },
  selectableFields: { type: ({ type = "" }) => type },
  columns: [
    nameColumn,
    column(
      "Type",
      "Used to facilitate programmatic handling of secret data. More info: " +
        "https://kubernetes.io/docs/concepts/configuration/secret/#secret-types",
    ),
    column(
      "Data",
      "Data contains the secret data. Each key must consist of alphanumeric characters, '-', '_' " +
        "or '.'. The serialized form of the secret data is a base64 encoded string, representing " +
        "the arbitrary (possibly non-string) data value here. Described in " +
        "https://tools.ietf.org/html/rfc4648#section-4",
    ),
    ageColumn,
  ],
  cells: ({ metadata, type = "", data = {} }, now) => [
    metadata.name ?? "",
    type,
    Object.keys(data).length,
    age(metadata.creationTimestamp, now),
  ],
});

function setDefaults(secret: Draft<Secret>): void {
  if (secret.stringData !== undefined) {
    const data: Record<string, string> = { ...secret.data };
    for (const [key, value] of Object.entries(secret.stringData)) {
      data[key] = Buffer.from(value).toString("base64");
    }
    delete secret.stringData;
    secret.data = sortedByKey(data);
  }
  secret.type ??= "Opaque";
}

function sortedByKey(data: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function validate(secret: Secret): Finding[] {
  const { data = {} } = secret;
  const rules = { namespaced: true, nameRule: dns1123Subdomain };
  const findings = validateObjectMeta(secret.metadata, rules);
  for (const key of Object.keys(data)) {
    findings.push(...configMapKey(key).map((problem) => invalid(`data[${key}]`, key, problem)));
  }
  const bytes = Object.values(data).reduce((sum, value) => sum + base64Bytes(value), 0);
  if (bytes > DATA_MAX_BYTES) findings.push(tooLong("data", DATA_MAX_BYTES));
  return [...findings, ...validateByType(secret)];
}

function validateUpdate(next: Secret, old: Secret): Finding[] {
  const findings = [
    ...validateObjectMetaUpdate(next.metadata, old.metadata),
    ...validateImmutable(next.type ?? "", old.type ?? "", "type"),
  ];
  if (old.immutable === true) {
    const detail = "field is immutable when `immutable` is set";
    if (next.immutable !== true) findings.push(forbidden("immutable", detail));
    if (!isEqual(next.data ?? {}, old.data ?? {})) findings.push(forbidden("data", detail));
  }
  return [...findings, ...validate(next)];
}
