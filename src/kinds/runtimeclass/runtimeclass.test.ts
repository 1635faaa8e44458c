import { expect, test } from "vitest";
import { created } from "../../../test/builders/created.ts";
import { formatFinding } from "../../api/finding.ts";
import type { RuntimeClass } from "../../api/generated/node.ts";
import type { Json } from "../../api/object.ts";
import { runtimeClassKind } from "./kind.ts";

test.each<[{ [field: string]: Json }, string[]]>([
  [{ overhead: { podFixed: { cpu: "100m" } }, scheduling: { nodeSelector: { a: "b" } } }, []],
  [{ handler: "" }, ["handler: Required value"]],
  [
    { scheduling: { tolerations: [{ key: "a" }, { key: "a" }] } },
    [
      'scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"","Value":"",' +
        '"Effect":"","TolerationSeconds":null}',
    ],
  ],
  [
    { overhead: { podFixed: { cpu: "-1" } } },
    ['overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
  ],
  [
    { scheduling: { tolerations: [{ key: "a", operator: "X" }] } },
    [
      'scheduling.tolerations[0].operator: Unsupported value: "X": ' +
        'supported values: "Equal", "Exists"',
    ],
  ],
])("a runtime class with %j has the expected findings", (body, expected) => {
  const made = created<RuntimeClass>(runtimeClassKind, { handler: "h", ...body });
  delete made.metadata.namespace;
  expect(runtimeClassKind.rules.validate(made).map(formatFinding)).toEqual(expected);
});
