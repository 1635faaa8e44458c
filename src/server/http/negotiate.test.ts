import { expect, test } from "vitest";
import { negotiate, negotiateError, requestMedia } from "./negotiate.ts";

const KUBECTL_GET =
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

test.each([
  [undefined, { media: "json" }],
  ["*/*", { media: "json" }],
  ["application/yaml", { media: "yaml" }],
  ["application/vnd.kubernetes.protobuf,application/json", { media: "protobuf" }],
  ["text/html, */*;q=0.1", { media: "json" }],
  ["application/json;q=0.5, application/yaml", { media: "yaml" }],
  [KUBECTL_GET, { media: "json", as: "Table", version: "v1" }],
  [
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    { media: "json", as: "PartialObjectMetadata", version: "v1" },
  ],
  ["application/json;as=Nope;v=v1;g=meta.k8s.io,application/json", { media: "json" }],
])("Accept %s is answered as %o", (accept, representation) => {
  expect(negotiate(accept, false)).toEqual(representation);
});

test.each(["text/html", "application/*", "application/xml"])("Accept %s is refused", (accept) => {
  expect(() => negotiate(accept, false)).toThrow("Available representations");
});

test("a stream cannot be YAML", () => {
  expect(() => negotiate("application/yaml", true)).toThrow("stream=watch");
});

test.each([
  ["application/yaml", "yaml"],
  ["text/html", "json"],
  ["text/html, application/vnd.kubernetes.protobuf", "protobuf"],
])("an error for a client that accepts %s is written in %s", (accept, media) => {
  expect(negotiateError(accept)).toBe(media);
});

test.each([
  [undefined, "json"],
  ["application/json; charset=utf-8", "json"],
  ["application/yaml", "yaml"],
  ["application/vnd.kubernetes.protobuf", "protobuf"],
])("a body of type %s is read as %s", (contentType, media) => {
  expect(requestMedia(contentType)).toBe(media);
});

test("a body of another type is refused", () => {
  expect(() => requestMedia("text/plain")).toThrow("unknown format");
});
