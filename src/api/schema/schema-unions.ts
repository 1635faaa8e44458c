/** Pure: the types in the schema of a CustomResourceDefinition whose JSON has one of two shapes. */
import type { ExactJson } from "./parsed-json.ts";
import { DecodeError } from "./reading.ts";
import type { Codec } from "./scalars.ts";

export interface UnionParts {
  readonly schema: Codec;
  readonly schemas: Codec;
}

/** Finds the codec by the Go name of the type, if it is one of them. */
export function findSchemaUnion(go: string, parts: () => UnionParts): Codec | undefined {
  if (go.endsWith("v1.JSONSchemaPropsOrArray")) return schemaOrList(parts);
  if (go.endsWith("v1.JSONSchemaPropsOrBool")) return schemaOrBool(parts);
  return undefined;
}

function schemaOrList(parts: () => UnionParts): Codec {
  return {
    decode: (value, reading, known) => {
      if (Array.isArray(value)) return parts().schemas.decode(value, reading, known);
      // Go ignores any other value.
      return isObject(value) ? parts().schema.decode(value, reading, known) : undefined;
    },
    zero: () => null,
  };
}

function schemaOrBool(parts: () => UnionParts): Codec {
  return {
    decode: (value, reading, known) => {
      if (typeof value === "boolean") return value;
      if (isObject(value)) return parts().schema.decode(value, reading, known);
      throw new DecodeError("boolean or JSON schema expected");
    },
    zero: () => null,
  };
}

function isObject(value: ExactJson): boolean {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
