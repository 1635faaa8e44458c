/**
 * The document at /openapi/v2: all kinds in one, derived from the version 3 documents.
 *
 * It is for clients that support no other version, and for kubectl where version 3 does not
 * suffice: for a file of kind List, and for explain in its older form. It is composed on the first
 * request, and again when the kinds have changed, so that others do not pay for it.
 */
import { createHash } from "node:crypto";
import type { Kind } from "../../kinds/kind.ts";
import { customSchemas } from "./custom-schemas.ts";
import { keptByKinds } from "./kept-by-kinds.ts";
import { operationsOf } from "./operations.ts";
import { findSchemaName, reachableSchemas, type Schema } from "./schemas.ts";
import { toV2Paths } from "./v2-operations.ts";
import { encodeOpenapiV2 } from "./v2-protobuf.ts";
import { toV2CustomSchema, toV2Schema } from "./v2-schemas.ts";

export interface OpenapiV2 {
  /** JSON. */
  readonly text: string;
  /** The hash of the text. */
  readonly hash: string;
  /** The same as protobuf, encoded on the first request. */
  protobuf(): Uint8Array;
}

/** In the media type that kubectl requests, "@" stands for the dot in the answered type. */
export const OPENAPI_V2_PROTOBUF_TYPE =
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

export const openapiV2 = keptByKinds((kinds) => encoded(composeDocument(kinds)));

function encoded(document: object): OpenapiV2 {
  const text = JSON.stringify(document);
  const hash = createHash("sha256").update(text).digest("hex").toUpperCase();
  let bytes: Uint8Array | undefined;
  return {
    text,
    hash,
    protobuf: () => {
      bytes ??= encodeOpenapiV2(document);
      return bytes;
    },
  };
}

function composeDocument(kinds: readonly Kind[]): object {
  const described = kinds.filter((kind) => kind.custom || findSchemaName(kind) !== undefined);
  const custom: Schemas = Object.assign({}, ...described.map(customSchemas));
  const paths = described.map((kind) => ({ kind, paths: operationsOf(kind) }));
  const schemas = reachableSchemas(
    paths.map((each) => each.paths),
    custom,
  );
  const definitions = Object.entries(schemas).map(([name, schema]) => {
    return [name, name in custom ? toV2CustomSchema(schema) : toV2Schema(schema)];
  });
  return {
    swagger: "2.0",
    info: { title: "Tally", version: "v1" },
    paths: Object.assign({}, ...paths.map(({ kind, paths }) => toV2Paths(paths, kind))),
    definitions: Object.fromEntries(definitions),
  };
}

interface Schemas {
  readonly [name: string]: Schema;
}
