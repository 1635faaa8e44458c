import { expect, test } from "vitest";
import { dropRepeatedOwners } from "./owner-references.ts";

const owner = (uid: string, name = "a") => ({ apiVersion: "v1", kind: "Pod", name, uid });
const owned = (...ownerReferences: ReturnType<typeof owner>[]) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", ownerReferences },
});

test("a duplicate owner is removed, with a warning that names it", () => {
  const object = owned(owner("u1"), owner("u2"), owner("u1"), owner("u1"));
  const [warning] = dropRepeatedOwners(object, "sent");
  expect(object.metadata.ownerReferences).toEqual([owner("u1"), owner("u2")]);
  expect(warning).toMatch(/^\.metadata\.ownerReferences contains duplicate entries; API server/);
  expect(warning).toMatch(/duplicate UID\(s\) observed: u1$/);
});

test("the warning mentions mutating admission after a patch", () => {
  const [warning] = dropRepeatedOwners(owned(owner("u1"), owner("u1")), "patched");
  expect(warning).toContain("duplicate entries after mutating admission happens;");
});

test("references that differ in anything besides their uid are kept", () => {
  const object = owned(owner("u1", "a"), owner("u1", "b"));
  expect(dropRepeatedOwners(object, "sent")).toEqual([]);
  expect(object.metadata.ownerReferences).toHaveLength(2);
});
