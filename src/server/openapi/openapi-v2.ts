/**
 * Pure: the document at /openapi/v2, which describes no kind.
 *
 * kubectl asks for it to check a file of kind List, which no v3 document describes. What the
 * document leaves out kubectl does not check itself, and leaves to the strict field validation it
 * asks of the server with every item.
 */
import { Writer } from "protobufjs/minimal.js";

const SWAGGER = "2.0";
const INFO = { title: "Tally", version: "v1" };

export const OPENAPI_V2_JSON = JSON.stringify({ swagger: SWAGGER, info: INFO, paths: {} });

/** The media type kubectl asks for has an "@" where the type answered has a dot. */
export const OPENAPI_V2_PROTOBUF_TYPE =
  "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** As the message openapi.v2.Document: 1 swagger, 2 info with 1 title and 2 version. */
export function encodeOpenapiV2(): Uint8Array {
  const writer = new Writer();
  writer.uint32(fieldTag(1)).string(SWAGGER);
  writer.uint32(fieldTag(2)).fork();
  writer.uint32(fieldTag(1)).string(INFO.title);
  writer.uint32(fieldTag(2)).string(INFO.version);
  writer.ldelim();
  return writer.finish();
}

const LENGTH_DELIMITED = 2;

function fieldTag(field: number): number {
  return (field << 3) | LENGTH_DELIMITED;
}
