import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { decodeMessage, decodeProtobuf, encodeProtobuf } from "../../src/api/schema/protobuf.ts";
import { findMessageOfKind } from "../../src/api/schema/tables.ts";

interface Recording {
  readonly name: string;
  readonly json: { readonly apiVersion: string; readonly kind: string };
  /** The body that a real server sent for it, in base64. */
  readonly protobuf: string;
}

const recordings = JSON.parse(
  readFileSync(new URL("./recordings/protobuf.json", import.meta.url), "utf8"),
) as Recording[];

function messageOf({ apiVersion, kind }: Recording["json"]): string {
  const [group = "", version = ""] = apiVersion.includes("/")
    ? apiVersion.split("/")
    : ["", apiVersion];
  const message = findMessageOfKind({ group, version, kind });
  if (message === undefined) throw new Error(`no message for ${apiVersion} ${kind}`);
  return message;
}

test.each(recordings)("decodes the bytes of a real server: $name", ({ json, protobuf }) => {
  const { message, ...typeMeta } = decodeProtobuf(Buffer.from(protobuf, "base64"));
  expect({ ...typeMeta, ...decodeMessage(messageOf(json), message) }).toStrictEqual(json);
});

test.each(recordings)("encodes to the bytes of a real server: $name", ({ json, protobuf }) => {
  const written = Buffer.from(encodeProtobuf(json, messageOf(json)));
  expect(written.toString("base64")).toBe(protobuf);
});
