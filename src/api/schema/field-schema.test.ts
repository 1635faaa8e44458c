import { expect, test } from "vitest";
import { customFieldSchema } from "./custom-field-schema.ts";
import { type FieldSchema, fieldSchemaOf } from "./field-schema.ts";

/** "map", "atomic map", "list by name=\"\"", "set", "atomic list", "string" … */
function describeSchema(schema: FieldSchema | undefined): string {
  switch (schema?.kind) {
    case "scalar":
      return schema.type;
    case "map":
      return schema.isAtomic ? "atomic map" : "map";
    case "list": {
      if (schema.relation !== "map") return `${schema.relation} list`;
      const keys = schema.keys.map((key) => `${key.name}=${JSON.stringify(key.default)}`);
      return `list by ${keys.join(" and ")}`;
    }
    default:
      return schema?.kind ?? "nothing";
  }
}

function at(schema: FieldSchema, path: readonly string[]): FieldSchema | undefined {
  let found: FieldSchema | undefined = schema;
  for (const name of path) {
    if (found?.kind === "list") found = found.element();
    found = found?.kind === "map" ? (found.field(name) ?? found.element?.()) : undefined;
  }
  return found;
}

test.each([
  ["core/v1.Pod", "metadata", "map"],
  ["core/v1.Pod", "metadata.labels", "map"],
  ["core/v1.Pod", "metadata.finalizers", "set list"],
  ["core/v1.Pod", "metadata.ownerReferences", 'list by uid=""'],
  ["core/v1.Pod", "spec.nodeSelector", "atomic map"],
  ["core/v1.Pod", "spec.tolerations", "atomic list"],
  ["core/v1.Pod", "spec.containers", 'list by name=""'],
  ["core/v1.Pod", "spec.containers.ports", 'list by containerPort=0 and protocol="TCP"'],
  ["core/v1.Pod", "spec.containers.args", "atomic list"],
  ["core/v1.Pod", "spec.containers.resources.limits.cpu", "untyped"],
  ["core/v1.Pod", "spec.priority", "numeric"],
  ["core/v1.Pod", "spec.foo", "nothing"],
  ["core/v1.ServiceAccount", "secrets", "list by name=undefined"],
  ["batch/v1.Job", "spec.selector", "atomic map"],
  ["core/v1.PersistentVolume", "spec.claimRef", "map"],
  ["batch/v1.Job", "status.conditions", "atomic list"],
  ["apps/v1.ControllerRevision", "data", "atomic map"],
])("%s %s is a %s", (message, path, expected) => {
  expect(describeSchema(at(fieldSchemaOf(message), path.split(".")))).toBe(expected);
});

const WIDGET = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { "x-kubernetes-int-or-string": true },
        tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        plain: { type: "array", items: { type: "string" } },
        parts: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["port", "id"],
          items: {
            type: "object",
            properties: { id: { type: "string" }, port: { type: "integer", default: 80 } },
          },
        },
        whole: { type: "object", "x-kubernetes-map-type": "atomic" },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        byName: { type: "object", additionalProperties: { type: "boolean" } },
      },
    },
  },
};

test.each([
  ["apiVersion", "string"],
  ["metadata.finalizers", "set list"],
  ["spec", "map"],
  ["spec.size", "untyped"],
  ["spec.tags", "set list"],
  ["spec.plain", "atomic list"],
  ["spec.parts", "list by id=undefined and port=80"],
  ["spec.whole", "atomic map"],
  ["spec.free.any.thing", "nothing"],
  ["spec.free.any", "deduced"],
  ["spec.byName.x", "boolean"],
  ["spec.foo", "nothing"],
])("%s of a custom resource is a %s", (path, expected) => {
  const schema = customFieldSchema(WIDGET as Parameters<typeof customFieldSchema>[0]);
  expect(describeSchema(at(schema, path.split(".")))).toBe(expected);
});
