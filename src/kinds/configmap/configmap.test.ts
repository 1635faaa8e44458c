import { expect, test } from "vitest";
import { created } from "../../../test/builders/created.ts";
import { formatFinding } from "../../api/finding.ts";
import type { ConfigMap } from "../../api/generated/core.ts";
import { configMapKind } from "./kind.ts";

test("a key in both data and binaryData is reported once", () => {
  const made = created<ConfigMap>(configMapKind, { data: { a: "1" }, binaryData: { a: "AA==" } });
  expect(configMapKind.rules.validate(made).map(formatFinding)).toEqual([
    'data[a]: Invalid value: "a": duplicate of key present in binaryData',
  ]);
});
