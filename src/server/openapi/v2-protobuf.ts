/**
 * Pure: encodes an OpenAPI v2 document as gnostic's message openapi.v2.Document, the form that
 * kubectl and client-go request.
 */
import { Writer } from "protobufjs/minimal.js";

export function encodeOpenapiV2(document: object): Uint8Array {
  const writer = new Writer();
  writeMessage(writer, "Document", document as Fields);
  return writer.finish();
}

interface Fields {
  readonly [name: string]: unknown;
}

type Encoding =
  | "string"
  | "strings"
  | "bool"
  | "int64"
  | "double"
  /** A value of any type, as text. */
  | "any"
  | "anys"
  /** One message, several, or a message whose only field contains them by name. */
  | { readonly one: string }
  | { readonly many: string }
  | { readonly named: string; readonly field?: number };

interface Message {
  readonly [name: string]: readonly [field: number, encoding: Encoding];
}

const VENDOR = "x-";

const MESSAGES: { readonly [name: string]: Message } = {
  Document: {
    swagger: [1, "string"],
    info: [2, { one: "Info" }],
    paths: [8, { named: "PathItem", field: 2 }],
    definitions: [9, { named: "Schema" }],
  },
  Info: { title: [1, "string"], version: [2, "string"] },
  PathItem: {
    get: [2, { one: "Operation" }],
    put: [3, { one: "Operation" }],
    post: [4, { one: "Operation" }],
    delete: [5, { one: "Operation" }],
    patch: [8, { one: "Operation" }],
    parameters: [9, { many: "ParametersItem" }],
  },
  Operation: {
    tags: [1, "strings"],
    description: [3, "string"],
    operationId: [5, "string"],
    produces: [6, "strings"],
    consumes: [7, "strings"],
    parameters: [8, { many: "ParametersItem" }],
    responses: [9, { named: "ResponseValue" }],
    schemes: [10, "strings"],
    [VENDOR]: [13, "any"],
  },
  ParametersItem: { parameter: [1, { one: "Parameter" }] },
  Parameter: { body: [1, { one: "BodyParameter" }], other: [2, { one: "NonBodyParameter" }] },
  BodyParameter: {
    description: [1, "string"],
    name: [2, "string"],
    in: [3, "string"],
    required: [4, "bool"],
    schema: [5, { one: "Schema" }],
  },
  NonBodyParameter: {
    query: [3, { one: "QueryParameter" }],
    path: [4, { one: "PathParameter" }],
  },
  QueryParameter: {
    required: [1, "bool"],
    in: [2, "string"],
    description: [3, "string"],
    name: [4, "string"],
    type: [6, "string"],
    uniqueItems: [20, "bool"],
  },
  PathParameter: {
    required: [1, "bool"],
    in: [2, "string"],
    description: [3, "string"],
    name: [4, "string"],
    type: [5, "string"],
    uniqueItems: [19, "bool"],
  },
  ResponseValue: { response: [1, { one: "Response" }] },
  Response: { description: [1, "string"], schema: [2, { one: "SchemaItem" }] },
  SchemaItem: { schema: [1, { one: "Schema" }] },
  Schema: {
    $ref: [1, "string"],
    format: [2, "string"],
    title: [3, "string"],
    description: [4, "string"],
    multipleOf: [6, "double"],
    maximum: [7, "double"],
    exclusiveMaximum: [8, "bool"],
    minimum: [9, "double"],
    exclusiveMinimum: [10, "bool"],
    maxLength: [11, "int64"],
    minLength: [12, "int64"],
    pattern: [13, "string"],
    maxItems: [14, "int64"],
    minItems: [15, "int64"],
    uniqueItems: [16, "bool"],
    maxProperties: [17, "int64"],
    minProperties: [18, "int64"],
    required: [19, "strings"],
    enum: [20, "anys"],
    additionalProperties: [21, { one: "AdditionalPropertiesItem" }],
    type: [22, { one: "TypeItem" }],
    items: [23, { one: "ItemsItem" }],
    properties: [25, { named: "Schema" }],
    example: [30, "any"],
    [VENDOR]: [31, "any"],
  },
  AdditionalPropertiesItem: { schema: [1, { one: "Schema" }], boolean: [2, "bool"] },
  TypeItem: { value: [1, "strings"] },
  ItemsItem: { schema: [1, { many: "Schema" }] },
};

/** Messages that wrap a value in one of several alternatives. */
const WRAPPED: { readonly [message: string]: (value: unknown) => Fields } = {
  ParametersItem: (parameter) => ({ parameter }),
  Parameter: (value) => ((value as Fields)["in"] === "body" ? { body: value } : { other: value }),
  NonBodyParameter: (value) => ({ [String((value as Fields)["in"])]: value }),
  ResponseValue: (response) => ({ response }),
  SchemaItem: (schema) => ({ schema }),
  AdditionalPropertiesItem: (value) =>
    typeof value === "boolean" ? { boolean: value } : { schema: value },
  TypeItem: (value) => ({ value: [value] }),
  ItemsItem: (schema) => ({ schema: [schema] }),
};

function writeMessage(writer: Writer, name: string, given: unknown): void {
  const message = MESSAGES[name] ?? {};
  const fields = WRAPPED[name]?.(given) ?? (given as Fields);
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const known = message[key];
    if (known) writeField(writer, known[0], known[1], value);
    else if (key.startsWith(VENDOR) && message[VENDOR]) {
      writeNamed(writer, message[VENDOR][0], key, () => writeAny(writer, 2, value));
    }
  }
}

const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;

function tag(field: number, wire: number): number {
  return (field << 3) | wire;
}

function writeField(writer: Writer, field: number, encoding: Encoding, value: unknown): void {
  switch (encoding) {
    case "string":
      writer.uint32(tag(field, DELIMITED)).string(String(value));
      return;
    case "strings":
      for (const each of value as readonly unknown[]) writeField(writer, field, "string", each);
      return;
    case "bool":
      writer.uint32(tag(field, VARINT)).bool(value === true);
      return;
    case "int64":
      writer.uint32(tag(field, VARINT)).int64(Number(value));
      return;
    case "double":
      writer.uint32(tag(field, FIXED_64)).double(Number(value));
      return;
    case "any":
      writeAny(writer, field, value);
      return;
    case "anys":
      for (const each of value as readonly unknown[]) writeAny(writer, field, each);
      return;
  }
  if ("one" in encoding) writePart(writer, field, encoding.one, value);
  else if ("many" in encoding) {
    for (const each of value as readonly unknown[]) writePart(writer, field, encoding.many, each);
  } else {
    writer.uint32(tag(field, DELIMITED)).fork();
    for (const [name, each] of Object.entries(value as Fields)) {
      const write = () => writePart(writer, 2, encoding.named, each);
      writeNamed(writer, encoding.field ?? 1, name, write);
    }
    writer.ldelim();
  }
}

function writePart(writer: Writer, field: number, name: string, value: unknown): void {
  writer.uint32(tag(field, DELIMITED)).fork();
  writeMessage(writer, name, value);
  writer.ldelim();
}

function writeNamed(writer: Writer, field: number, name: string, writeValue: () => void): void {
  writer.uint32(tag(field, DELIMITED)).fork();
  writer.uint32(tag(1, DELIMITED)).string(name);
  writeValue();
  writer.ldelim();
}

/** The text is YAML, of which JSON is a subset. */
function writeAny(writer: Writer, field: number, value: unknown): void {
  writer.uint32(tag(field, DELIMITED)).fork();
  writer.uint32(tag(2, DELIMITED)).string(`${JSON.stringify(value)}\n`);
  writer.ldelim();
}
