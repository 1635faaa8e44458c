/** Pure: validates a definition: its names, its group, its versions, and its updates. */
import { type Finding, invalid, notSupported, required } from "../../api/finding.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionVersion,
} from "../../api/generated/apiextensions.ts";
import { dns1035Label, dns1123Subdomain } from "../../api/names.ts";
import { validateAnyMeta, validateAnyMetaUpdate, validateImmutable } from "../meta/object-meta.ts";
import { isTrue } from "./conditions.ts";
import { APPROVAL as APPROVED, isProtected } from "./protected-groups.ts";
import { sharedParts } from "./shared-parts.ts";
import { validateConversion } from "./validate-conversion.ts";
import { validateNames } from "./validate-names.ts";
import { hasDefaults } from "./validate-schema.ts";
import { validateStatus } from "./validate-status.ts";
import { validateShared, validateVersion } from "./validate-version.ts";

export function validateDefinition(definition: CustomResourceDefinition): Finding[] {
  const { metadata, spec } = definition;
  const expected = `${spec.names.plural}.${spec.group}`;
  const nameRule = (name: string) => [
    ...dns1123Subdomain(name),
    ...(name === expected ? [] : ['must be spec.names.plural+"."+spec.group']),
  ];
  return [
    ...validateAnyMeta(metadata, { namespaced: false, nameRule }, "metadata"),
    ...validate(definition),
  ];
}

export function validateDefinitionUpdate(
  next: CustomResourceDefinition,
  old: CustomResourceDefinition,
): Finding[] {
  const { spec } = next;
  const isFixed = isTrue(old.status.conditions, "Established");
  return [
    ...validateAnyMetaUpdate(next.metadata, old.metadata, "metadata"),
    ...validate(next, old),
    ...(isFixed ? validateImmutable(spec.scope, old.spec.scope, "spec.scope") : []),
    ...(isFixed ? validateImmutable(spec.names.kind, old.spec.names.kind, "spec.names.kind") : []),
    ...validateImmutable(spec.group, old.spec.group, "spec.group"),
    ...validateImmutable(spec.names.plural, old.spec.names.plural, "spec.names.plural"),
  ];
}

function validate(definition: CustomResourceDefinition, old?: CustomResourceDefinition): Finding[] {
  const { spec } = definition;
  return [
    ...validateSpec(spec, old?.spec),
    ...validateStatus(definition),
    ...validateApproval(definition, old),
    ...validatePreserving(spec, old?.spec),
  ];
}

const SCOPES = ["Cluster", "Namespaced"];

function validateSpec(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec | undefined,
): Finding[] {
  const { scope, names } = spec;
  const versions = spec.versions ?? [];
  const { shared, versions: own } = sharedParts(spec);
  const hasStatus = versions.some(({ subresources }) => subresources?.status !== undefined);
  const before = old?.versions?.find(({ name }) => versions.some((each) => each.name === name));
  return [
    ...validateGroup(spec.group),
    ...(scope === ""
      ? [required("spec.scope")]
      : SCOPES.includes(scope)
        ? []
        : [notSupported("spec.scope", scope, SCOPES)]),
    ...validateSchemas(spec),
    ...validateVersions(spec, own, old),
    ...["plural", "singular", "kind", "listKind"].flatMap((field) => {
      const given = names[field as keyof CustomResourceDefinitionNames];
      return given === undefined || given === "" ? [required(`spec.names.${field}`)] : [];
    }),
    ...validateNames(names, "spec.names"),
    ...validateShared(shared, { old: before, hasStatus }),
    ...validateConversion(spec),
  ];
}

/** Every version needs a schema. */
function validateSchemas(spec: CustomResourceDefinitionSpec): Finding[] {
  const versions = spec.versions ?? [];
  const missing = versions.flatMap(({ schema }, at) =>
    schema?.openAPIV3Schema ? [] : [required(`spec.versions[${at}].schema.openAPIV3Schema`)],
  );
  if (!spec.preserveUnknownFields) return missing;
  const isDefaulting = versions.some(({ schema }) => hasDefaults(schema?.openAPIV3Schema));
  const problem = "must be false in order to use defaults in the schema";
  return isDefaulting
    ? [...missing, invalid("spec.preserveUnknownFields", true, problem)]
    : missing;
}

function validateGroup(group: string): Finding[] {
  if (group === "") return [required("spec.group")];
  const problems = dns1123Subdomain(group);
  if (problems.length > 0) return [invalid("spec.group", group, problems.join(","))];
  if (group.includes(".")) return [];
  return [invalid("spec.group", group, "should be a domain with at least one dot")];
}

function validateVersions(
  spec: CustomResourceDefinitionSpec,
  own: readonly CustomResourceDefinitionVersion[],
  old: CustomResourceDefinitionSpec | undefined,
): Finding[] {
  const versions = spec.versions ?? [];
  const findings = own.flatMap((version, at) => {
    const path = `spec.versions[${at}]`;
    const problems = dns1035Label(version.name);
    const before = old?.versions?.find(({ name }) => name === version.name);
    const hasStatus = versions[at]?.subresources?.status !== undefined;
    return [
      ...(problems.length > 0 ? [invalid(`${path}.name`, version.name, problems.join(","))] : []),
      ...validateVersion(version, path, { old: before, hasStatus }),
    ];
  });
  const distinct = new Set(versions.map(({ name }) => name));
  if (distinct.size < versions.length) {
    findings.push(invalid("spec.versions", spec.versions, "must contain unique version names"));
  }
  if (versions.filter(isStored).length !== 1) {
    const problem = "must have exactly one version marked as storage version";
    findings.push(invalid("spec.versions", spec.versions, problem));
  }
  const [first] = versions;
  const problems = first && first.name !== "" ? dns1035Label(first.name) : [];
  if (problems.length > 0) findings.push(invalid("spec.version", first?.name, problems.join(",")));
  return findings;
}

function isStored({ storage }: CustomResourceDefinitionVersion): boolean {
  return storage;
}

/** Groups of Kubernetes itself are reserved for approved definitions. */
function validateApproval(
  { metadata, spec }: CustomResourceDefinition,
  old: CustomResourceDefinition | undefined,
): Finding[] {
  if (!isProtected(spec.group)) return [];
  const approval = metadata.annotations?.[APPROVED] ?? "";
  if (old && approval === (old.metadata.annotations?.[APPROVED] ?? "")) return [];
  const path = `metadata.annotations[${APPROVED}]`;
  const see = "see https://github.com/kubernetes/enhancements/pull/1111";
  if (approval === "") {
    return [required(path, `protected groups must have approval annotation "${APPROVED}", ${see}`)];
  }
  if (approval.startsWith("unapproved") || URL.canParse(approval)) return [];
  const problem = `protected groups must have approval annotation "${APPROVED}" with either a URL`;
  return [invalid(path, approval, `${problem} or a reason starting with "unapproved", ${see}`)];
}

function validatePreserving(
  spec: CustomResourceDefinitionSpec,
  old: CustomResourceDefinitionSpec | undefined,
): Finding[] {
  if (!spec.preserveUnknownFields || old?.preserveUnknownFields) return [];
  const problem =
    "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in " +
    "spec.versions[*].schema instead";
  return [invalid("spec.preserveUnknownFields", true, problem)];
}
