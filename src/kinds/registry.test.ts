import { expect, test } from "vitest";
import { created } from "../../test/builders/created.ts";
import { allRules } from "./customresourcedefinition/all-rules.ts";
import { provideDefinitionRules } from "./customresourcedefinition/rules.ts";
import { storageResource } from "./kind.ts";
import { registry } from "./registry.ts";

provideDefinitionRules(allRules);

const NOW = new Date("2024-01-01T00:01:00Z");

test.each(registry.kinds.map((kind) => [`${kind.group}/${kind.kind}`, kind] as const))(
  "an empty %s has a cell for each column and keeps its metadata on an idle update",
  (_, kind) => {
    const object = created(kind, {});
    expect(kind.cells(object, NOW)).toHaveLength(kind.columns.length);
    kind.rules.prepareForUpdate?.(object, object);
    const found = kind.rules.validateUpdate(object, object).map(({ field }) => field);
    const ofMetadata = ["metadata.name", "metadata.uid", "metadata.resourceVersion"];
    expect(found.filter((field) => ofMetadata.includes(field))).toEqual([]);
  },
);

test("a kind is found by its resource and by its name, which are unique", () => {
  for (const kind of registry.kinds) {
    expect(registry.findResource(kind)).toBe(kind);
    expect(registry.findKind(kind)).toBe(kind);
  }
});

test("two kinds share a key space only if one is a view of the other", () => {
  const places = registry.kinds.filter(({ storedAs }) => !storedAs).map(storageResource);
  expect(new Set(places).size).toBe(places.length);
});

test("groups and lists are known, other names are not", () => {
  expect(registry.hasGroup("batch")).toBe(true);
  expect(registry.hasGroup("nope.example.com")).toBe(false);
  expect(registry.isRegistered({ group: "batch", version: "v1", kind: "JobList" })).toBe(true);
  expect(registry.isRegistered({ group: "batch", version: "v2", kind: "Job" })).toBe(false);
  expect(registry.isRegistered({ group: "batch", version: "v1", kind: "DeleteOptions" })).toBe(
    true,
  );
  expect(registry.isRegistered({ group: "", version: "v1", kind: "Status" })).toBe(true);
  expect(registry.isRegistered({ group: "batch", version: "v1", kind: "Status" })).toBe(false);
  expect(() => registry.getResource("batch", "v1", "nope")).toThrow("no resource nope");
});
