import { expect, test } from "vitest";
import { created, patched } from "../../../test/builders/created.ts";
import type { Namespace } from "../../api/generated/core.ts";
import { namespaceKind } from "./kind.ts";

test("a namespace without a status is active", () => {
  const old = created<Namespace>(namespaceKind, { metadata: { name: "n" } });
  delete old.metadata.namespace;
  const next = patched<Namespace>(namespaceKind, old, { status: null });
  expect(next.status).toEqual({ phase: "Active" });
  expect(namespaceKind.rules.validateStatusUpdate?.(next, old)).toEqual([]);
});
