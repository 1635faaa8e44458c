/**
 * Pure: validates one version of a definition: subresources, columns, selectable fields and schema.
 */
import { duplicate, type Finding, invalid, required, tooMany } from "../../api/finding.ts";
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
} from "../../api/generated/apiextensions.ts";
import { type FoundField, findField } from "./field-path.ts";
import type { SharedParts } from "./shared-parts.ts";
import { validateSchema } from "./validate-schema.ts";

export interface VersionContext {
  readonly hasStatus: boolean;
  readonly old: CustomResourceDefinitionVersion | undefined;
}

/** The parts of a single version. */
export function validateVersion(
  version: CustomResourceDefinitionVersion,
  path: string,
  context: VersionContext,
): Finding[] {
  return [
    ...validateWarning(version, path),
    ...validateOpenApi(version, `${path}.schema`, context),
    ...validateSubresources(version.subresources, `${path}.subresources`),
    ...validateColumns(version, path),
    ...validateSelectable(version, `${path}.selectableFields`, ONLY_WITH_OWN),
  ];
}

/** The parts that all versions have in common. */
export function validateShared(shared: SharedParts["shared"], context: VersionContext): Finding[] {
  return [
    ...validateOpenApi(shared, "spec.validation", context),
    ...validateSubresources(shared.subresources, "spec.subresources"),
    ...validateColumns(shared, "spec"),
    ...validateSelectable(shared, "spec.selectableFields", ONLY_WITH_SHARED),
  ];
}

type Parts = SharedParts["shared"];

function validateOpenApi({ schema }: Parts, path: string, context: VersionContext): Finding[] {
  if (!schema?.openAPIV3Schema) return [];
  const old = context.old?.schema?.openAPIV3Schema;
  const { hasStatus } = context;
  return validateSchema(schema.openAPIV3Schema, `${path}.openAPIV3Schema`, { hasStatus, old });
}

const MAX_WARNING = 256;
/** Of all kinds of spaces only the plain one is printable. */
const UNPRINTABLE = /[\p{C}]|(?! )\p{Z}/u;

function validateWarning(version: CustomResourceDefinitionVersion, path: string): Finding[] {
  const { deprecated, deprecationWarning: warning } = version;
  if (warning === undefined) return [];
  const at = `${path}.deprecationWarning`;
  if (!deprecated) return [invalid(at, warning, "can only be set for deprecated versions")];
  const problems: string[] = [];
  if (Buffer.byteLength(warning) > MAX_WARNING) {
    problems.push(`must be <= ${MAX_WARNING} characters long`);
  }
  if (warning === "") problems.push("must not be an empty string");
  const unprintable = UNPRINTABLE.exec(warning);
  if (unprintable) {
    const index = Buffer.byteLength(warning.slice(0, unprintable.index));
    problems.push(
      `must only contain printable UTF-8 characters; non-printable character found at index ${index}`,
    );
  }
  return problems.map((problem) => invalid(at, warning, problem));
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

function validateColumns(parts: Parts, path: string): Finding[] {
  return (parts.additionalPrinterColumns ?? []).flatMap((column, at) =>
    validateColumn(column, `${path}.additionalPrinterColumns[${at}]`),
  );
}

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
  if (jsonPath === "") findings.push(required(`${path}.JSONPath`));
  else findings.push(...validateSimplePath(jsonPath, `${path}.JSONPath`));
  return findings;
}

const MAX_SELECTABLE = 8;
const SELECTABLE =
  "must point to a field of type string, boolean or integer. Enum string fields and strings with " +
  "formats are allowed.";

const ONLY_WITH_OWN = "may only be set when `version.schema.openAPIV3Schema` is not included";
const ONLY_WITH_SHARED = "may only be set when validations.schema is included";

/** Fields are looked up in the schema next to them: of the same version, or of all versions. */
function validateSelectable(parts: Parts, path: string, alone: string): Finding[] {
  const fields = parts.selectableFields ?? [];
  const schema = parts.schema?.openAPIV3Schema;
  if (fields.length === 0) return [];
  if (!schema) return [invalid(path, "", alone)];
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const [at, { jsonPath }] of fields.entries()) {
    const place = `${path}[${at}].jsonPath`;
    if (jsonPath === "") {
      findings.push(required(place));
      continue;
    }
    const found = findField(jsonPath, schema, { hasBrackets: false });
    if ("problem" in found) {
      findings.push(invalid(place, jsonPath, `is an invalid path: ${found.problem}`));
      continue;
    }
    findings.push(...validateField(found, jsonPath, place));
    if (seen.has(jsonPath)) findings.push(duplicate(place, jsonPath));
    seen.add(jsonPath);
  }
  if (seen.size > MAX_SELECTABLE) findings.push(tooMany(path, seen.size, MAX_SELECTABLE));
  return findings;
}

function validateField({ schema, root }: FoundField, jsonPath: string, path: string): Finding[] {
  const isMeta = root === "metadata";
  return [
    ...(isMeta ? [invalid(path, jsonPath, "must not point to fields in metadata")] : []),
    ...(["string", "boolean", "integer"].includes(schema.type ?? "")
      ? []
      : [invalid(path, jsonPath, SELECTABLE)]),
  ];
}
