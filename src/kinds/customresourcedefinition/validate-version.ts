/** Pure: one version of a definition: its subresources, columns, selectable fields and schema. */
import { duplicate, type Finding, invalid, required, tooMany } from "../../api/finding.ts";
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
} from "../../api/generated/apiextensions.ts";
import { stepsOf } from "../customresource/scale.ts";
import { propertyOf, type Schema } from "../customresource/schema.ts";
import { validateSchema } from "./validate-schema.ts";

export function validateVersion(
  version: CustomResourceDefinitionVersion,
  path: string,
  old: CustomResourceDefinitionVersion | undefined,
  keepsUnknown: boolean,
): Finding[] {
  const schema = version.schema?.openAPIV3Schema;
  const hasStatus = version.subresources?.status !== undefined;
  return [
    ...validateWarning(version, path),
    ...(schema
      ? validateSchema(schema, `${path}.schema.openAPIV3Schema`, {
          hasStatus,
          isStructural: !keepsUnknown,
          old: old?.schema?.openAPIV3Schema,
        })
      : [required(`${path}.schema.openAPIV3Schema`, "schemas are required")]),
    ...validateSubresources(version.subresources, `${path}.subresources`),
    ...(version.additionalPrinterColumns ?? []).flatMap((column, at) =>
      validateColumn(column, `${path}.additionalPrinterColumns[${at}]`),
    ),
    ...validateSelectable(version, `${path}.selectableFields`),
  ];
}

const MAX_WARNING = 256;

function validateWarning(version: CustomResourceDefinitionVersion, path: string): Finding[] {
  const { deprecated, deprecationWarning: warning } = version;
  if (warning === undefined) return [];
  const problems: string[] = [];
  if (!deprecated) problems.push("can only be set for deprecated versions");
  if (warning === "") problems.push("must not be an empty string");
  if (warning.length > MAX_WARNING) problems.push(`must be <= ${MAX_WARNING} characters long`);
  const at = [...warning].findIndex((char) => /[\p{C}\n]/u.test(char));
  if (at >= 0) {
    problems.push(
      `must only contain printable UTF-8 characters; non-printable character found at index ${at}`,
    );
  }
  return problems.map((problem) => invalid(`${path}.deprecationWarning`, warning, problem));
}

function validateSubresources(
  subresources: CustomResourceSubresources | undefined,
  path: string,
): Finding[] {
  const scale = subresources?.scale;
  if (!scale) return [];
  const under = (field: string, given: string, roots: readonly string[], problem: string) => {
    const at = `${path}.scale.${field}`;
    const findings = validateSimplePath(given, at);
    if (findings.length > 0 || roots.some((root) => given.startsWith(root))) return findings;
    return [invalid(at, given, problem)];
  };
  const { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath } = scale;
  return [
    ...(spec === ""
      ? [required(`${path}.scale.specReplicasPath`)]
      : under("specReplicasPath", spec, [".spec."], "should be a json path under .spec")),
    ...(status === ""
      ? [required(`${path}.scale.statusReplicasPath`)]
      : under("statusReplicasPath", status, [".status."], "should be a json path under .status")),
    ...(labelSelectorPath
      ? under(
          "labelSelectorPath",
          labelSelectorPath,
          [".spec.", ".status."],
          "should be a json path under either .spec or .status",
        )
      : []),
  ];
}

function validateSimplePath(given: string, path: string): Finding[] {
  if (given === "") return [invalid(path, given, "must not be empty")];
  if (given.startsWith(".")) return [];
  return [invalid(path, given, "must be a simple json path starting with .")];
}

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = [
  "byte",
  "date",
  "date-time",
  "double",
  "float",
  "int32",
  "int64",
  "password",
];

function validateColumn(column: CustomResourceColumnDefinition, path: string): Finding[] {
  const { name, type, format = "", jsonPath } = column;
  const findings: Finding[] = [];
  if (name === "") findings.push(required(`${path}.name`));
  const types = `must be one of ${COLUMN_TYPES.join(",")}`;
  if (type === "") findings.push(required(`${path}.type`, types));
  else if (!COLUMN_TYPES.includes(type)) findings.push(invalid(`${path}.type`, type, types));
  if (format !== "" && !COLUMN_FORMATS.includes(format)) {
    const formats = `must be one of ${COLUMN_FORMATS.join(",")}`;
    findings.push(invalid(`${path}.format`, format, formats));
  }
  if (jsonPath === "") findings.push(required(`${path}.jsonPath`));
  else findings.push(...validateSimplePath(jsonPath, `${path}.jsonPath`));
  return findings;
}

const MAX_SELECTABLE = 8;
const SELECTABLE =
  "must point to a field of type string, boolean or integer. Enum string fields and strings with " +
  "formats are allowed.";

function validateSelectable(version: CustomResourceDefinitionVersion, path: string): Finding[] {
  const fields = version.selectableFields ?? [];
  const findings: Finding[] = [];
  if (fields.length > MAX_SELECTABLE) findings.push(tooMany(path, fields.length, MAX_SELECTABLE));
  const seen = new Set<string>();
  for (const [at, { jsonPath }] of fields.entries()) {
    const place = `${path}[${at}].jsonPath`;
    findings.push(...validateSelectablePath(jsonPath, version.schema?.openAPIV3Schema, place));
    if (seen.has(jsonPath)) findings.push(duplicate(place, jsonPath));
    seen.add(jsonPath);
  }
  return findings;
}

function validateSelectablePath(
  jsonPath: string,
  schema: Schema | undefined,
  path: string,
): Finding[] {
  if (jsonPath === "") return [required(path)];
  if (!/^(\.[A-Za-z_][A-Za-z0-9_-]*)+$/.test(jsonPath)) {
    return [invalid(path, jsonPath, "is an invalid path: must be a simple path of fields")];
  }
  const steps = stepsOf(jsonPath);
  if (steps[0] === "metadata") {
    return [invalid(path, jsonPath, "must not point to fields in metadata")];
  }
  let found: Schema | undefined = schema;
  for (const step of steps) found = found && propertyOf(found, step);
  if (!found) {
    const unknown = `does not refer to a valid field: ${steps.at(-1)}`;
    return [invalid(path, jsonPath, `is an invalid path: ${unknown}`)];
  }
  if (["string", "boolean", "integer"].includes(found.type ?? "")) return [];
  return [invalid(path, jsonPath, SELECTABLE)];
}
