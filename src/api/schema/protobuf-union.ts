/**
 * Pure: the three types in the schema of a CustomResourceDefinition whose JSON has one of two
 * shapes.
 */
import type { Reader, Writer } from "protobufjs/minimal.js";
import {
  bool,
  expectWireType,
  LENGTH_DELIMITED,
  readMessage,
  string,
  tagOf,
  VARINT,
  type ValueCodec,
} from "./protobuf-value.ts";

/** Finds the codec by the Go name of the type, if it is one of the three. */
export function findUnionCodec(
  go: string,
  messageCodec: (name: string) => ValueCodec,
): ValueCodec | undefined {
  const schema = () => messageCodec("apiextensions/v1.JSONSchemaProps");
  if (go.endsWith("v1.JSONSchemaPropsOrArray")) return schemaOrList(schema, schema);
  if (go.endsWith("v1.JSONSchemaPropsOrBool")) return schemaOrBool(schema);
  if (go.endsWith("v1.JSONSchemaDependencies")) return schemaOrList(schema, () => string);
  return undefined;
}

interface Parts {
  schema?: unknown;
  items?: unknown[];
  allows?: boolean;
}

/** {1: schema, 2: repeated items}; a list of schemas or of property names. */
function schemaOrList(schema: () => ValueCodec, item: () => ValueCodec): ValueCodec {
  return {
    wireType: LENGTH_DELIMITED,
    read: (reader, depth, before) => {
      const parts = (before as Parts | undefined) ?? {};
      readMessage(reader, "JSONSchemaPropsOrArray", (number, wireType) => {
        if (number === 1) readSchema(reader, wireType, depth, parts, schema());
        else if (number === 2) {
          expectWireType(wireType, LENGTH_DELIMITED, "JSONSchemas");
          parts.items ??= [];
          parts.items.push(item().read(reader, depth + 1, undefined));
        } else return false;
        return true;
      });
      return parts;
    },
    toJson: (collected) => {
      const { items, schema: found } = (collected as Parts | undefined) ?? {};
      if (items !== undefined) return items.map(item().toJson);
      return found === undefined ? null : schema().toJson(found);
    },
    write: (writer, value) => {
      writer.fork();
      if (Array.isArray(value)) {
        for (const each of value) {
          writer.uint32(tagOf(2, LENGTH_DELIMITED));
          item().write(writer, each);
        }
      } else writeSchema(writer, 1, value, schema());
      writer.ldelim();
    },
  };
}

/** {1: allows, 2: schema}. A schema implies that additional properties are allowed. */
function schemaOrBool(schema: () => ValueCodec): ValueCodec {
  return {
    wireType: LENGTH_DELIMITED,
    read: (reader, depth, before) => {
      const parts = (before as Parts | undefined) ?? {};
      readMessage(reader, "JSONSchemaPropsOrBool", (number, wireType) => {
        if (number === 1) {
          expectWireType(wireType, VARINT, "Allows");
          parts.allows = reader.bool();
        } else if (number === 2) readSchema(reader, wireType, depth, parts, schema());
        else return false;
        return true;
      });
      return parts;
    },
    toJson: (collected) => {
      const { allows = false, schema: found } = (collected as Parts | undefined) ?? {};
      return found === undefined ? allows : schema().toJson(found);
    },
    write: (writer, value) => {
      writer.fork().uint32(tagOf(1, VARINT));
      bool.write(writer, value !== false && value !== null);
      if (typeof value !== "boolean") writeSchema(writer, 2, value, schema());
      writer.ldelim();
    },
  };
}

function readSchema(
  reader: Reader,
  wireType: number,
  depth: number,
  parts: Parts,
  schema: ValueCodec,
): void {
  expectWireType(wireType, LENGTH_DELIMITED, "Schema");
  parts.schema = schema.read(reader, depth + 1, parts.schema);
}

function writeSchema(writer: Writer, number: number, value: unknown, schema: ValueCodec): void {
  if (value === null || value === undefined) return;
  writer.uint32(tagOf(number, LENGTH_DELIMITED));
  schema.write(writer, value);
}
