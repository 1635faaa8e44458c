/** The document exists for kubectl's decoder: its bytes are the contract. */
import { expect, test } from "vitest";
import { encodeOpenapiV2, OPENAPI_V2_JSON } from "./openapi-v2.ts";

test("both forms of the document say the same and describe nothing", () => {
  expect(JSON.parse(OPENAPI_V2_JSON)).toEqual({
    swagger: "2.0",
    info: { title: "Tally", version: "v1" },
    paths: {},
  });
  const bytes = Buffer.from(encodeOpenapiV2());
  expect(bytes.toString("latin1")).toBe("\n\x032.0\x12\x0b\n\x05Tally\x12\x02v1");
});
