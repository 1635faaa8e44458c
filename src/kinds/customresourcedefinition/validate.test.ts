import { describe, expect, test } from "vitest";
import { aDefinition, type LooseSchema } from "../../../test/builders/custom-resources.ts";
import { formatFinding } from "../../api/finding.ts";
import type { CustomResourceDefinition } from "../../api/generated/apiextensions.ts";
import type { Json } from "../../api/object.ts";
import { decodeObject } from "../../api/schema/decode.ts";
import { parsed } from "../../api/schema/parsed-json.ts";
import { customResourceDefinitionKind } from "./kind.ts";

function decoded(definition: object): CustomResourceDefinition {
  const { rules, message } = customResourceDefinitionKind;
  const { object } = decodeObject(parsed(definition as Json), message);
  rules.setDefaults?.(object);
  rules.prepareForCreate?.(object);
  return object as unknown as CustomResourceDefinition;
}

function findingsOf(definition: object): readonly string[] {
  return customResourceDefinitionKind.rules.validate(decoded(definition)).map(formatFinding);
}

const LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an " +
  "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', " +
  "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const WEBHOOK = { clientConfig: { url: "https://a" }, conversionReviewVersions: ["v1"] };

test("a valid definition gets its defaults and has no findings", () => {
  expect(findingsOf(aDefinition())).toEqual([]);
  expect(decoded(aDefinition())).toMatchObject({
    spec: {
      names: { singular: "widget", listKind: "WidgetList" },
      conversion: { strategy: "None" },
    },
    status: { storedVersions: ["v1"] },
  });
});

const DEFINITIONS: readonly [string, Parameters<typeof aDefinition>[0], string][] = [
  [
    "its scope",
    { definition: { scope: "World" } },
    'spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"',
  ],
  [
    "its kind",
    { names: { kind: "Wid_get", singular: "widget", listKind: "WidgetList" } },
    `spec.names.kind: Invalid value: "Wid_get": may have mixed case, but should otherwise match: ${LABEL}`,
  ],
  [
    "its short names",
    { names: { shortNames: ["A"] } },
    `spec.names.shortNames[0]: Invalid value: "A": ${LABEL}`,
  ],
  [
    "a duplicate name",
    { names: { listKind: "Widget" } },
    'spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same',
  ],
  [
    "a version without a schema",
    { version: { schema: {} } },
    "spec.versions[0].schema.openAPIV3Schema: Required value",
  ],
  [
    "an unknown conversion strategy",
    { definition: { conversion: { strategy: "Magic" } } },
    'spec.conversion.strategy: Unsupported value: "Magic": supported values: "None", "Webhook"',
  ],
  [
    "a column without a type",
    { version: { additionalPrinterColumns: [{ name: "A", jsonPath: ".a" }] } },
    "spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string",
  ],
  [
    "a column without a path",
    { version: { additionalPrinterColumns: [{ name: "A", type: "date", jsonPath: "a" }] } },
    'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "a": must be a simple json path starting with .',
  ],
  [
    "replicas outside of spec",
    {
      version: {
        subresources: { scale: { specReplicasPath: ".a", statusReplicasPath: ".status.a" } },
      },
    },
    'spec.subresources.scale.specReplicasPath: Invalid value: ".a": should be a json path under .spec',
  ],
  [
    "a deprecation warning without deprecated",
    { version: { deprecationWarning: "old" } },
    'spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions',
  ],
  [
    "a selectable field that is not a string",
    { version: { selectableFields: [{ jsonPath: ".spec" }] } },
    'spec.selectableFields[0].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
  ],
];

describe("a definition is rejected for", () => {
  test.each(DEFINITIONS)("%s", (_name, options, problem) => {
    expect(findingsOf(aDefinition(options))).toEqual([problem]);
  });

  test("a name that is not made of plural and group", () => {
    const definition = { ...aDefinition(), metadata: { name: "gadgets.example.com" } };
    expect(findingsOf(definition)).toEqual([
      'metadata.name: Invalid value: "gadgets.example.com": must be spec.names.plural+"."+spec.group',
    ]);
  });

  test("a protected group without approval", () => {
    const group = "widgets.k8s.io";
    const definition = {
      ...aDefinition({ definition: { group } }),
      metadata: { name: `widgets.${group}` },
    };
    expect(findingsOf(definition)).toEqual([
      "metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must " +
        'have approval annotation "api-approved.kubernetes.io", see ' +
        "https://github.com/kubernetes/enhancements/pull/1111",
    ]);
  });

  test("a conversion webhook, which is not supported", () => {
    const conversion = { strategy: "Webhook", webhook: WEBHOOK };
    expect(findingsOf(aDefinition({ definition: { conversion } }))).toEqual([]);
    const [one] = aDefinition().spec.versions;
    const versions = [one, { ...one, name: "v2", storage: false }];
    expect(findingsOf(aDefinition({ definition: { conversion, versions } }))).toEqual([
      "spec.conversion.strategy: Forbidden: this server calls no webhooks: versions can be " +
        "converted by strategy None only",
    ]);
  });

  test("preserving unknown fields", () => {
    const definition = { preserveUnknownFields: true };
    expect(findingsOf(aDefinition({ definition, schema: { type: "object" } }))).toEqual([
      "spec.preserveUnknownFields: Invalid value: true: cannot set to true, set " +
        "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ]);
  });

  test("a common part once, and a part of one version at that version", () => {
    const version = (name: string, schema: object) => ({
      ...aDefinition().spec.versions[0],
      name,
      storage: name === "v1",
      schema: { openAPIV3Schema: { type: "object", ...schema } },
    });
    const findings = (one: object, other: object) =>
      findingsOf(
        aDefinition({ definition: { versions: [version("v1", one), version("v2", other)] } }),
      );
    const problem = "openAPIV3Schema.id: Forbidden: id is not supported";
    expect(findings({ id: "a" }, { id: "a" })).toEqual([`spec.validation.${problem}`]);
    expect(findings({ id: "a" }, {})).toEqual([`spec.versions[0].schema.${problem}`]);
  });

  test("two storage versions", () => {
    const [one] = aDefinition().spec.versions;
    const versions = [one, { ...one, name: "v2" }];
    const [problem] = findingsOf(aDefinition({ definition: { versions } }));
    expect(problem).toMatch(/must have exactly one version marked as storage version$/);
  });
});

const ROOT = "spec.validation.openAPIV3Schema.properties[spec]";
const STRUCTURAL = "to be structural";

const SCHEMAS: readonly [string, LooseSchema, readonly string[]][] = [
  [
    "a field without a type",
    { properties: { a: {} } },
    ["properties[a].type: Required value: must not be empty for specified object fields"],
  ],
  [
    "items without a type",
    { properties: { a: { type: "array", items: {} } } },
    ["properties[a].items.type: Required value: must not be empty for specified array items"],
  ],
  [
    "an unknown type",
    { properties: { a: { type: "int" } } },
    [
      'properties[a].type: Unsupported value: "int": supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ],
  [
    "properties together with additionalProperties",
    { properties: { a: { type: "string" } }, additionalProperties: { type: "string" } },
    ["additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive"],
  ],
  [
    "unique items",
    { properties: { a: { type: "array", items: { type: "string" }, uniqueItems: true } } },
    [
      "properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    ],
  ],
  [
    "references",
    { properties: { a: { type: "string", $ref: "#/b" } } },
    ["properties[a].$ref: Forbidden: $ref is not supported"],
  ],
  [
    "an invalid pattern",
    { properties: { a: { type: "string", pattern: "a(?=b)" } } },
    [
      'properties[a].pattern: Invalid value: "a(?=b)": must be a valid regular expression, ' +
        "but isn't: error parsing regexp: invalid or unsupported Perl syntax: `(?=`",
    ],
  ],
  [
    "a type within alternatives",
    { properties: { a: { type: "string", anyOf: [{ type: "string" }] } } },
    [`properties[a].anyOf[0].type: Forbidden: must be empty ${STRUCTURAL}`],
  ],
  [
    "a field that is only in an alternative",
    { anyOf: [{ properties: { a: { minLength: 1 } } }] },
    [`properties[a]: Required value: because it is defined in ${ROOT}.anyOf[0].properties[a]`],
  ],
  [
    "an invalid default",
    { properties: { a: { type: "integer", default: "x" } } },
    ['properties[a].default: Invalid value: "string":  in body must be of type integer: "string"'],
  ],
  [
    "a list map without keys",
    {
      properties: {
        a: { type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } },
      },
    },
    [
      "properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map",
    ],
  ],
  [
    "a list key that is optional",
    {
      properties: {
        a: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["n"],
          items: { type: "object", properties: { n: { type: "string" } } },
        },
      },
    },
    [
      "properties[a].items.properties[n].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
    ],
  ],
  [
    "an unknown list type",
    {
      properties: {
        a: { type: "array", "x-kubernetes-list-type": "bag", items: { type: "string" } },
      },
    },
    [
      'properties[a].x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"',
    ],
  ],
  [
    "preserve-unknown-fields false",
    { "x-kubernetes-preserve-unknown-fields": false },
    ["x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"],
  ],
  [
    "an empty rule",
    { "x-kubernetes-validations": [{ rule: "" }] },
    ["x-kubernetes-validations[0].rule: Required value: rule is not specified"],
  ],
  [
    "a rule with an unknown field",
    { "x-kubernetes-validations": [{ rule: "self.a" }] },
    [
      'x-kubernetes-validations[0].rule: Invalid value: {"rule":"self.a"}: ' +
        "compilation failed: ERROR: <input>:1:5: undefined field 'a'\n | self.a\n | ....^",
    ],
  ],
  [
    "a rule that is not boolean",
    { "x-kubernetes-validations": [{ rule: "1 + 1" }] },
    [
      'x-kubernetes-validations[0].rule: Invalid value: {"rule":"1 + 1"}: cel expression must evaluate to a bool',
    ],
  ],
  [
    "a rule with an unknown function",
    { "x-kubernetes-validations": [{ rule: "authorizer.path('/a')" }] },
    [
      'x-kubernetes-validations[0].rule: Invalid value: {"rule":"authorizer.path(\'/a\')"}: ' +
        "compilation failed: ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container '')\n | authorizer.path('/a')\n | ^",
    ],
  ],
  [
    "a transition rule for items that cannot be correlated",
    {
      properties: {
        a: {
          type: "array",
          maxItems: 5,
          items: {
            type: "string",
            maxLength: 5,
            "x-kubernetes-validations": [{ rule: "self == oldSelf" }],
          },
        },
      },
    },
    [
      `properties[a].items.x-kubernetes-validations[0].rule: Invalid value: {"rule":"self == oldSelf"}: oldSelf cannot be used on the uncorrelatable portion of the schema within ${ROOT}.properties[a]`,
    ],
  ],
];

describe("a schema is rejected for", () => {
  test.each(SCHEMAS)("%s", (_name, spec, problems) => {
    const schema = { type: "object", ...spec };
    expect(findingsOf(aDefinition({ spec: schema }))).toEqual(
      problems.map((problem) => `${ROOT}.${problem}`),
    );
  });

  test("keywords at the root that are not allowed with a status", () => {
    const schema = { type: "object", anyOf: [{ required: ["spec"] }] };
    const [problem] = findingsOf(
      aDefinition({ schema, version: { subresources: { status: {} } } }),
    );
    expect(problem).toMatch(
      /fields are allowed at the root of the schema if the status subresource/,
    );
  });
});

test("scope, kind, plural and group cannot change once it is established", () => {
  const { rules } = customResourceDefinitionKind;
  const conditions = [{ type: "Established", status: "True" }];
  const old = decoded(aDefinition());
  const served = { ...old, status: { ...old.status, conditions } };
  const next = { ...served, spec: { ...served.spec, scope: "Cluster" } };
  const metadata = { ...served.metadata, resourceVersion: "1" };
  expect(
    rules.validateUpdate({ ...next, metadata }, { ...served, metadata }).map(formatFinding),
  ).toEqual(['spec.scope: Invalid value: "Cluster": field is immutable']);
});

test("a version in storedVersions cannot be removed", () => {
  const [one] = aDefinition().spec.versions;
  const old = decoded(aDefinition());
  const moved = decoded(aDefinition({ definition: { versions: [{ ...one, name: "v2" }] } }));
  const metadata = { ...old.metadata, resourceVersion: "1" };
  const next = { ...moved, metadata, status: { ...old.status, storedVersions: ["v1", "v2"] } };
  const [problem] = customResourceDefinitionKind.rules.validateUpdate(next, { ...old, metadata });
  expect(problem?.message).toContain("v1 was previously a storage version, and must remain");
});

test("each unchecked format causes one warning", () => {
  const { warningsOnCreate } = customResourceDefinitionKind.rules;
  const fields = {
    a: { type: "string", format: "date-time" },
    b: { type: "string", format: "int32" },
    c: { type: "array", items: { type: "integer", format: "date" } },
    d: { type: "string", format: "int32" },
  };
  const definition = decoded(aDefinition({ spec: { type: "object", properties: fields } }));
  expect(warningsOnCreate?.(definition)).toEqual([
    'unrecognized format "int32"',
    'unrecognized format "date"',
  ]);
});
