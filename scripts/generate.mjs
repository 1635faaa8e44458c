// Writes src/api/generated from schema/: TypeScript types, and the message tables for the decoder,
// the protobuf codec and strategic merge. Everything comes from the schema; nothing is written by
// hand. For Tally's own kinds it also writes deploy/crds, which describe them to a cluster.
//
//   node scripts/generate.mjs           writes the files
//   node scripts/generate.mjs --check   exits with 1 if a file on disk differs
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { customResourceDefinitions, OWN_PACKAGE, ownKindsModule, ownTables } from "./own-kinds.mjs";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const read = (file) => JSON.parse(fs.readFileSync(path.join(root, "schema", file), "utf8"));
const packages = read("protobuf-fields.json");
const openapi = read("kubernetes-1.36.json");
const own = read("tallyjob.json");
// The only message without fields, which the field table omits.
packages["apiextensions/v1"].messages.CustomResourceSubresourceStatus ??= [];

const SPECIAL = {
  "resource.Quantity": "Quantity",
  "intstr.IntOrString": "IntOrString",
  "runtime.RawExtension": "RawExtension",
  "types.UID": "string",
  "time.Duration": "int64",
  "[]byte": "bytes",
  "meta/v1.Time": "Time",
  "meta/v1.MicroTime": "MicroTime",
  "meta/v1.FieldsV1": "FieldsV1",
  "apiextensions/v1.JSON": "JSON",
};
const SCALARS = new Set(["string", "bool", "int32", "int64", "float64", "bytes"]);
// Packages that the Go files of this API import, by their import names.
const IMPORTS = { metav1: "meta/v1", corev1: "core/v1", apiv1: "core/v1", v1: "core/v1" };
// Messages whose JSON is a union of shapes: they are kept as parsed.
const OPAQUE = new Set([
  "JSONSchemaPropsOrArray",
  "JSONSchemaPropsOrBool",
  "JSONSchemaPropsOrStringArray",
]);

/** A Go type as our type reference: a scalar, a special, "pkg.Message", "[]T" or "map[]T". */
function resolveType(goType, pkg) {
  const type = goType.replace(/^\*/, "");
  if (SPECIAL[type]) return SPECIAL[type];
  if (SCALARS.has(type)) return type;
  if (type.startsWith("[]")) return `[]${resolveType(type.slice(2), pkg)}`;
  const map = /^map\[[^\]]+\](.*)$/.exec(type);
  if (map) return `map[]${resolveType(map[1], pkg)}`;
  const [prefix, name] = type.includes(".") ? type.split(".") : [undefined, type];
  const home = prefix ? IMPORTS[prefix] : pkg;
  if (!home) throw new Error(`unknown package of ${goType} in ${pkg}`);
  const full = `${home}.${name}`;
  if (SPECIAL[full]) return SPECIAL[full];
  if (OPAQUE.has(name)) return "JSON";
  const alias = packages[home].aliases[name];
  if (alias) return resolveType(alias, home);
  if (!packages[home].messages[name]) throw new Error(`unknown type ${full} (${goType} in ${pkg})`);
  return full;
}

/** The name that Go's decoder prints for a type in its errors. */
function printedType(goType) {
  const pointer = goType.replace(/^\*/, "");
  const list = pointer.startsWith("[]") ? `[]${printedType(pointer.slice(2))}` : undefined;
  if (list) return list;
  const map = /^map\[([^\]]+)\](.*)$/.exec(pointer);
  if (map) return `map[${printedType(map[1])}]${printedType(map[2])}`;
  if (SCALARS.has(pointer) || pointer === "byte") return pointer === "byte" ? "uint8" : pointer;
  if (/^(resource|intstr|runtime|types)\./.test(pointer)) return pointer;
  return `v1.${pointer.split(".").pop()}`;
}

function openapiName(pkg, message) {
  const [group, version] = pkg.split("/");
  if (group === "meta") return `io.k8s.apimachinery.pkg.apis.meta.v1.${message}`;
  if (group === "apiextensions")
    return `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.${message}`;
  return `io.k8s.api.${group}.${version}.${message}`;
}

/** Strategic-merge and apply metadata of a field, in the short keys of FieldFacts. */
function patchFacts(schema) {
  const facts = {};
  if (!schema) return facts;
  if (schema["x-kubernetes-patch-strategy"]) facts.strategy = schema["x-kubernetes-patch-strategy"];
  if (schema["x-kubernetes-patch-merge-key"])
    facts.mergeKey = schema["x-kubernetes-patch-merge-key"];
  if (schema["x-kubernetes-list-type"]) facts.listType = schema["x-kubernetes-list-type"];
  if (schema["x-kubernetes-list-map-keys"]) facts.listKeys = schema["x-kubernetes-list-map-keys"];
  if (schema["x-kubernetes-map-type"]) facts.mapType = schema["x-kubernetes-map-type"];
  return facts;
}

function buildTables() {
  const tables = {};
  for (const [pkg, { messages }] of Object.entries(packages)) {
    for (const [name, fields] of Object.entries(messages)) {
      if (OPAQUE.has(name) || SPECIAL[`${pkg}.${name}`] || pkg === "runtime") continue;
      const schema = openapi[openapiName(pkg, name)];
      tables[`${pkg}.${name}`] = {
        fields: fields.map(([number, json, goType, , flags = ""]) => ({
          number,
          json,
          type: resolveType(goType, pkg),
          go: printedType(goType),
          ...(goType.startsWith("*") ? { pointer: true } : {}),
          ...(flags.includes("o") ? { omitEmpty: true } : {}),
          ...(flags.includes("z") ? { omitZero: true } : {}),
          ...(flags.includes("i") ? { inline: true } : {}),
          ...patchFacts(schema?.properties?.[json]),
        })),
        ...(schema?.["x-kubernetes-map-type"] ? { mapType: schema["x-kubernetes-map-type"] } : {}),
        ...(schema?.["x-kubernetes-group-version-kind"]
          ? { gvk: schema["x-kubernetes-group-version-kind"] }
          : {}),
      };
    }
  }
  return tables;
}

const HEADER = "// Generated by scripts/generate.mjs from schema/. Do not edit.\n";

function tsType(ref, pkg) {
  if (ref.startsWith("[]")) {
    const item = tsType(ref.slice(2), pkg);
    return `readonly ${/[ |]/.test(item) ? `(${item})` : item}[]`;
  }
  if (ref.startsWith("map[]")) return `{ readonly [key: string]: ${tsType(ref.slice(5), pkg)} }`;
  switch (ref) {
    case "string":
    case "bytes":
    case "Quantity":
    case "Time":
    case "MicroTime":
      return "string";
    case "bool":
      return "boolean";
    case "int32":
    case "int64":
    case "float64":
      return "number";
    case "IntOrString":
      return "number | string";
    case "RawExtension":
    case "FieldsV1":
    case "JSON":
      return "unknown";
    default: {
      const [home, name] = ref.split(/\.(?=[^.]*$)/);
      return home === pkg ? name : `${moduleName(home)}.${name}`;
    }
  }
}

const moduleName = (pkg) => pkg.split("/")[0];

/** A field is required in the type if Go always writes it; nil slices and maps are then null. */
function tsField(field, pkg) {
  const isMessage =
    field.type.includes("/") && !field.type.startsWith("[]") && !field.type.startsWith("map[]");
  const isCollection =
    field.type.startsWith("[]") || field.type.startsWith("map[]") || field.type === "bytes";
  const isTime = field.type === "Time" || field.type === "MicroTime";
  const always = !field.pointer && (isMessage || !field.omitEmpty);
  const type = tsType(field.type, pkg);
  const key = /^[a-zA-Z$]+[a-zA-Z0-9]*$/.test(field.json) ? field.json : JSON.stringify(field.json);
  if (isTime && !field.pointer && !field.omitZero) return `  readonly ${key}?: ${type} | null;`;
  if (isCollection && always) return `  readonly ${key}: ${type} | null;`;
  return `  readonly ${key}${always ? "" : "?"}: ${type};`;
}

function typesOf(pkg, tables) {
  const lines = [HEADER];
  const used = new Set();
  const body = [];
  for (const [full, table] of Object.entries(tables)) {
    const [home, name] = full.split(/\.(?=[^.]*$)/);
    if (home !== pkg) continue;
    const bases = table.fields
      .filter((f) => f.inline && f.type.includes("/"))
      .map((f) => tsType(f.type, pkg));
    const kindLines =
      table.gvk?.length === 1 &&
      !name.endsWith("List") &&
      table.fields.some((f) => f.json === "metadata")
        ? [`  readonly apiVersion: string;`, `  readonly kind: string;`]
        : [];
    body.push(
      `export interface ${name}${bases.length ? ` extends ${bases.join(", ")}` : ""} {`,
      ...kindLines,
      ...table.fields
        .filter((f) => !f.inline && f.json !== "" && f.json !== "-")
        .map((f) => tsField(f, pkg)),
      "}",
      "",
    );
    for (const f of table.fields) {
      const home2 = /([a-z]+\/v1)\./.exec(f.type)?.[1];
      if (home2 && home2 !== pkg) used.add(home2);
    }
  }
  for (const other of [...used].sort()) {
    lines.push(`import type * as ${moduleName(other)} from "./${moduleName(other)}.ts";`);
  }
  if (used.size) lines.push("");
  return `${lines.join("\n")}${body.join("\n")}`;
}

/** The contents of all files, by path from the root. */
function outputs() {
  const tables = { ...buildTables(), ...ownTables(own, patchFacts) };
  const files = {};
  for (const pkg of [...Object.keys(packages), OWN_PACKAGE]) {
    if (pkg !== "runtime") files[generated(moduleName(pkg))] = typesOf(pkg, tables);
  }
  files[generated("own-kinds")] = ownKindsModule(own, HEADER);
  for (const [file, text] of Object.entries(customResourceDefinitions(own, openapi))) {
    files[`deploy/crds/${file}`] = text;
  }
  // JSON.parse of a string is several times faster than loading the same object as source.
  files[generated("tables")] =
    `${HEADER}\nexport const tablesJson: string = ${JSON.stringify(JSON.stringify(tables))};\n`;
  return files;
}

const generated = (module) => `src/api/generated/${module}.ts`;

const check = process.argv.includes("--check");
let stale = 0;
for (const [file, text] of Object.entries(outputs())) {
  const full = path.join(root, file);
  if (check) {
    if (!fs.existsSync(full) || fs.readFileSync(full, "utf8") !== text) {
      stale++;
      process.stderr.write(`stale: ${file}\n`);
    }
    continue;
  }
  fs.mkdirSync(path.dirname(full), { recursive: true });
  fs.writeFileSync(full, text);
}
process.exitCode = stale ? 1 : 0;
