/** Pure: validates Kubernetes' own keywords in a schema, such as list types. */
import { type Finding, forbidden, invalid, notSupported, required } from "../../api/finding.ts";
import { repetitions } from "../../api/repetitions.ts";
import { itemsOf, propertyOf, type Schema } from "../customresource/schema.ts";

export function validateExtensions(schema: Schema, path: string): Finding[] {
  const findings: Finding[] = [];
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    const at = `${path}.x-kubernetes-preserve-unknown-fields`;
    findings.push(invalid(at, false, "must be true or undefined"));
  }
  return [...findings, ...validateMapType(schema, path), ...validateListType(schema, path)];
}

function needsType(schema: Schema, type: string, keyword: string, path: string): Finding[] {
  if (schema.type === type) return [];
  const problem = `must be ${type} if ${keyword} is specified`;
  if (!schema.type) return [required(`${path}.type`, problem)];
  return [invalid(`${path}.type`, schema.type, problem)];
}

function validateMapType(schema: Schema, path: string): Finding[] {
  const keyword = "x-kubernetes-map-type";
  const mapType = schema[keyword];
  if (mapType === undefined) return [];
  const allowed = ["atomic", "granular"];
  return [
    ...needsType(schema, "object", keyword, path),
    ...(allowed.includes(mapType) ? [] : [notSupported(`${path}.${keyword}`, mapType, allowed)]),
  ];
}

function validateListType(schema: Schema, path: string): Finding[] {
  const keyword = "x-kubernetes-list-type";
  const listType = schema[keyword];
  const keys = schema[KEYS] ?? [];
  const findings: Finding[] = [];
  if (listType !== undefined) {
    const mistyped = needsType(schema, "array", keyword, path);
    findings.push(...mistyped);
    if (mistyped.length === 0 && listType === "set") findings.push(...validateSet(schema, path));
    const allowed = ["atomic", "set", "map"];
    if (!allowed.includes(listType)) {
      findings.push(notSupported(`${path}.${keyword}`, listType, allowed));
    }
  }
  if (keys.length > 0 && listType !== "map") {
    const problem = "must be map if x-kubernetes-list-map-keys is non-empty";
    findings.push(
      listType === undefined
        ? required(`${path}.${keyword}`, problem)
        : invalid(`${path}.${keyword}`, listType, problem),
    );
  }
  if (listType === "map") findings.push(...validateListMap(schema, keys, path));
  if (listType === "map" || listType === "set") {
    findings.push(...validateItems(schema, listType, path));
  }
  return findings;
}

const KEYS = "x-kubernetes-list-map-keys";

function validateListMap(schema: Schema, keys: readonly string[], path: string): Finding[] {
  const findings: Finding[] = [];
  if (keys.length === 0) {
    const problem = "must not be empty if x-kubernetes-list-type is map";
    findings.push(required(`${path}.${KEYS}`, problem));
  }
  if (schema.items === undefined) {
    const problem = "must have a schema if x-kubernetes-list-type is map";
    findings.push(required(`${path}.items`, problem));
  }
  const items = itemsOf(schema);
  if (!items) return findings;
  if (items.type !== "object") {
    const problem = "must be object if parent array's x-kubernetes-list-type is map";
    return [...findings, invalid(`${path}.items.type`, items.type ?? "", problem)];
  }
  // Made once: all keys are part of the message.
  const unknown = once(() =>
    invalid(`${path}.${KEYS}`, keys, "entries must all be names of item properties"),
  );
  const again = once(() => invalid(`${path}.${KEYS}`, keys, "must not contain duplicate entries"));
  const repeated = repetitions(keys);
  for (const [at, key] of keys.entries()) {
    const type = propertyOf(items, key)?.type;
    if (!propertyOf(items, key)) findings.push(unknown());
    else if (type === "array" || type === "object") {
      const problem = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      findings.push(invalid(`${path}.items.properties[${key}].type`, items.type, problem));
    }
    if (repeated.has(at)) findings.push(again());
  }
  return findings;
}

function once(make: () => Finding): () => Finding {
  let made: Finding | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const IS_KEY = `this property is in ${KEYS}, so it`;

/** The fields that identify items must always have a value. */
function validateItems(schema: Schema, listType: string, path: string): Finding[] {
  const items = itemsOf(schema);
  if (!items) return [];
  const findings: Finding[] = [];
  if (items.nullable) {
    const problem = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    findings.push(forbidden(`${path}.items.nullable`, problem));
  }
  for (const key of listType === "map" ? (schema[KEYS] ?? []) : []) {
    const property = propertyOf(items, key);
    if (!property) continue;
    const place = `${path}.items.properties[${key}]`;
    if (!(items.required ?? []).includes(key) && property.default === undefined) {
      const problem = `${IS_KEY} must have a default or be a required property`;
      findings.push(required(`${place}.default`, problem));
    }
    if (property.nullable) {
      findings.push(forbidden(`${place}.nullable`, `${IS_KEY} cannot be nullable`));
    }
  }
  return findings;
}

function validateSet(schema: Schema, path: string): Finding[] {
  const items = itemsOf(schema);
  if (!items) return [];
  const isMap = items.type === "object" && items["x-kubernetes-map-type"] !== "atomic";
  const isList =
    items.type === "array" && (items["x-kubernetes-list-type"] ?? "atomic") !== "atomic";
  if (!isMap && !isList) return [];
  const keyword = isMap ? "x-kubernetes-map-type" : "x-kubernetes-list-type";
  const problem = "must be atomic as item of a list with x-kubernetes-list-type=set";
  return [invalid(`${path}.items.${keyword}`, items[keyword] ?? null, problem)];
}
