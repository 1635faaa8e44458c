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
  ["*/*, application/yaml", { media: "yaml" }],
  ["application/json;q=0.5, application/yaml;q=0.4, application/xml", { media: "json" }],
  ["application/json;stream=watch", { media: "json" }],
  [
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    { media: "protobuf", as: "PartialObjectMetadata", version: "v1" },
  ],
  [
    "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json",
    { media: "json" },
  ],
])("Accept %s is answered as %o", (accept, representation) => {
  expect(negotiate(accept)).toEqual(representation);
});

test.each(["text/html", "application/*", "application/xml", "*", "APPLICATION/JSON"])(
  "Accept %s is rejected by the router",
  (accept) => {
    const types = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    const message = `406: Not Acceptable\n\nAvailable representations: ${types}`;
    expect(() => negotiate(accept)).toThrow(expect.objectContaining({ message }));
  },
);

test.each([
  "application/json;as=Table;g=meta.k8s.io",
  "application/json;as=Table;v=v2;g=meta.k8s.io",
  "application/json;v=v1",
  "application/json;g=batch;v=v1",
  "application/json;stream=other",
  "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io",
])("Accept %s is rejected because of its parameters", (accept) => {
  expect(() => negotiate(accept)).toThrow("only the following media types are accepted");
});

test("a 406 for a list also names the watch media types", () => {
  const list = { shape: "list", tables: true } as const;
  expect(() => negotiate("text/html", list)).toThrow("application/json;stream=watch");
});

test("a watch cannot be YAML, even if JSON is the second choice", () => {
  const watch = { shape: "watch", tables: true } as const;
  const problem = "only the following media types are accepted: application/json;stream=watch";
  expect(() => negotiate("application/yaml", watch)).toThrow(problem);
  expect(() => negotiate("application/yaml,application/json", watch)).toThrow(problem);
});

test("reviews, which are never stored, have no tables", () => {
  const review = { shape: "object", tables: false } as const;
  expect(() => negotiate("application/json;as=Table;v=v1;g=meta.k8s.io", review)).toThrow("only");
  expect(negotiate(KUBECTL_GET, review)).toEqual({ media: "json" });
});

test.each([
  ["application/yaml", "yaml"],
  ["text/html", "json"],
  ["text/html, application/vnd.kubernetes.protobuf", "protobuf"],
  ["application/yaml;as=Table;v=v1;g=meta.k8s.io", "json"],
  ["application/vnd.kubernetes.protobuf;as=X;v=v1;g=y,application/yaml", "yaml"],
])("an error for a client that accepts %s is written in %s", (accept, media) => {
  expect(negotiateError(accept)).toBe(media);
});

test.each([
  [undefined, "json"],
  ["application/json; charset=utf-8", "json"],
  ["application/yaml", "yaml"],
  ["application/vnd.kubernetes.protobuf", "protobuf"],
])("a body of type %s is parsed as %s", (contentType, media) => {
  expect(requestMedia(contentType)).toBe(media);
});

test.each(["text/plain", "*/*", ";", "application/json; foo"])(
  "a body of type %s is rejected",
  (contentType) => {
    expect(() => requestMedia(contentType)).toThrow("unknown format");
  },
);
