// Tally's own kinds, from schema/tallyjob.json: their message tables, their names and columns, and
// the CRD manifests for clusters, in which all of Kubernetes' types for a Job are written out.
import { stringify } from "yaml";

export const OWN_PACKAGE = "tallyjob/v1alpha1";
const REFERENCE_PREFIX = "#/components/schemas/";
const OWN_PREFIX = "io.tallyjob.v1alpha1.";
const SCALARS = { string: "string", boolean: "bool" };

/** In the format that scripts/generate.mjs uses for Kubernetes' messages. */
export function ownTables({ schemas }, patchFacts) {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [typeOfReference(name), message(schema)]),
  );

  function message(schema) {
    const gvk = schema["x-kubernetes-group-version-kind"];
    const fields = Object.entries(schema.properties).filter(
      ([json]) => !gvk || (json !== "apiVersion" && json !== "kind"),
    );
    return {
      fields: fields.map(([json, property], at) => {
        const isRequired = schema.required?.includes(json) ?? false;
        const type = typeOf(property);
        const isPlain = isRequired || isDefaulted(property) || /^(\[\]|map\[\])/.test(type);
        return {
          number: at + 1,
          json,
          type,
          go: goName(type),
          ...(isPlain ? {} : { pointer: true }),
          ...(isRequired ? {} : { omitEmpty: true }),
          ...patchFacts(property),
        };
      }),
      ...(gvk ? { gvk } : {}),
    };
  }
}

/** Whether the property is a struct that Go always writes. */
function isDefaulted(property) {
  return property.allOf !== undefined && JSON.stringify(property.default) === "{}";
}

function typeOf(property) {
  if (property.allOf) return typeOfReference(nameOf(property));
  if (property.type === "array") return `[]${typeOf(property.items)}`;
  return property.type === "integer" ? property.format : SCALARS[property.type];
}

function nameOf({ allOf: [{ $ref }] }) {
  return $ref.slice(REFERENCE_PREFIX.length);
}

/** "io.k8s.api.batch.v1.JobTemplateSpec" becomes "batch/v1.JobTemplateSpec". */
function typeOfReference(schemaName) {
  const [name, version, group] = schemaName.split(".").reverse();
  return name === "Time" ? name : `${group}/${version}.${name}`;
}

function goName(type) {
  if (type.startsWith("[]")) return `[]${goName(type.slice(2))}`;
  if (type === "Time") return "v1.Time";
  const [home, name] = type.split(/\.(?=[^.]*$)/);
  return name === undefined ? type : `${home.split("/")[1]}.${name}`;
}

export function ownKindsModule({ group, version, kinds }, header) {
  return `${header}
export interface OwnColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "date";
  readonly jsonPath: string;
  readonly description: string;
  readonly priority?: number;
}

export interface OwnKind {
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly hasStatus?: boolean;
  readonly columns: readonly OwnColumn[];
}

export const OWN_GROUP = ${JSON.stringify(group)};
export const OWN_VERSION = ${JSON.stringify(version)};

export const ownKinds: readonly OwnKind[] = ${JSON.stringify(kinds, undefined, 2)};
`;
}

/** The manifests, by file name. */
export function customResourceDefinitions(own, kubernetes) {
  const all = { ...kubernetes, ...own.schemas };
  return Object.fromEntries(
    own.kinds.map((kind) => [`${own.group}_${kind.plural}.yaml`, definition(own, kind, all)]),
  );
}

const NOTE = "# Written by scripts/generate.mjs from schema/tallyjob.json. Do not edit.\n";

function definition({ group, version, rules }, own, all) {
  const { kind, plural, singular, shortNames, hasStatus, columns } = own;
  const schema = expand(all, all[`${OWN_PREFIX}${kind}`], rules[kind] ?? {}, "");
  schema.properties.metadata = { type: "object" };
  const manifest = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, listKind: `${kind}List`, plural, singular, shortNames },
      scope: "Namespaced",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          ...(hasStatus ? { subresources: { status: {} } } : {}),
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
  return NOTE + stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false });
}

/**
 * Makes the schema structural: every reference is written out, with only the keywords a CRD allows.
 */
function expand(all, given, rules, path) {
  const schema = resolve(all, given);
  const out = {};
  if (given.description ?? schema.description)
    out.description = given.description ?? schema.description;
  if (schema.oneOf) return Object.assign(out, NUMBER_OR_TEXT);
  out.type = schema.type;
  for (const key of KEPT) if (schema[key] !== undefined) out[key] = schema[key];
  // Defaults of Kubernetes' own types are left out: a Job gets them when it is created.
  if (path in OWN_DEFAULTS) out.default = OWN_DEFAULTS[path];
  if (schema.properties) {
    out.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [
        name,
        expand(all, property, rules, path === "" ? name : `${path}.${name}`),
      ]),
    );
  }
  if (schema.items) out.items = expand(all, schema.items, rules, `${path}[]`);
  if (schema.additionalProperties) {
    out.additionalProperties = expand(all, schema.additionalProperties, rules, `${path}{}`);
  }
  // The keys of a list map are required. If one is optional, it gets the default that it stands
  // for.
  const keys = out["x-kubernetes-list-map-keys"] ?? [];
  for (const key of keys) {
    if (out.items.required?.includes(key)) continue;
    out.items.properties[key].default = resolve(all, schema.items).properties[key].default ?? "";
  }
  if (rules[path]) out["x-kubernetes-validations"] = rules[path];
  return out;
}

const KEPT = [
  "format",
  "enum",
  "required",
  "minimum",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
];
const OWN_DEFAULTS = { "spec.suspend": false, "spec.retries": 0 };
const NUMBER_OR_TEXT = {
  anyOf: [{ type: "integer" }, { type: "string" }],
  "x-kubernetes-int-or-string": true,
};
/** The metadata of templates has only these fields; without them a cluster would drop all of it. */
const TEMPLATE_METADATA = {
  type: "object",
  properties: {
    annotations: { type: "object", additionalProperties: { type: "string" } },
    finalizers: { type: "array", items: { type: "string" } },
    labels: { type: "object", additionalProperties: { type: "string" } },
    name: { type: "string" },
    namespace: { type: "string" },
  },
};

function resolve(all, property) {
  const reference = property.allOf ? nameOf(property) : undefined;
  const { $ref } = property;
  const name = reference ?? $ref?.slice(REFERENCE_PREFIX.length);
  if (name === undefined) return property;
  if (name.endsWith(".meta.v1.ObjectMeta")) return TEMPLATE_METADATA;
  const found = all[name];
  if (!found) throw new Error(`no schema ${name}`);
  const { allOf: _all, default: _default, description: _description, ...more } = property;
  return { ...found, ...more };
}
