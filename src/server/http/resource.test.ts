import { expect, test } from "vitest";
import { configMapBody } from "../../../test/builders/resources.ts";
import { aServer } from "../../../test/builders/server.ts";
import { ask, askWatch } from "../../../test/support/ask.ts";
import { decodeMessage, decodeProtobuf } from "../../api/schema/protobuf.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };

function aServerWithOne() {
  const server = aServer();
  ask(server, "POST", CONFIG_MAPS, configMapBody({ name: "a" }));
  return server;
}

test("PartialObjectMetadata is available in protobuf", () => {
  const accept = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
  const told = ask(aServerWithOne(), "GET", `${CONFIG_MAPS}/a`, undefined, { accept });
  expect(told.contentType).toBe("application/vnd.kubernetes.protobuf");
  const { apiVersion, kind, message } = decodeProtobuf(told.bytes);
  expect([apiVersion, kind]).toEqual(["meta.k8s.io/v1", "PartialObjectMetadata"]);
  expect(decodeMessage("meta/v1.PartialObjectMetadata", message)).toMatchObject({
    metadata: { name: "a", namespace: "default" },
  });
});

test("PartialObjectMetadataList is available in protobuf", () => {
  const accept =
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
  const told = ask(aServerWithOne(), "GET", CONFIG_MAPS, undefined, { accept });
  const { kind, message } = decodeProtobuf(told.bytes);
  expect(kind).toBe("PartialObjectMetadataList");
  expect(decodeMessage("meta/v1.PartialObjectMetadataList", message)).toMatchObject({
    items: [{ metadata: { name: "a" } }],
  });
});

test("warnings are sent even if the request then fails", () => {
  const server = aServerWithOne();
  const body = { metadata: { name: "A" }, nonsense: 1 };
  expect(ask(server, "POST", CONFIG_MAPS, body)).toMatchObject({
    status: 422,
    warnings: ['unknown field "nonsense"'],
  });
  const elsewhere = { metadata: { name: "a", resourceVersion: "1" }, nonsense: 1 };
  expect(ask(server, "PUT", `${CONFIG_MAPS}/a`, elsewhere)).toMatchObject({
    status: 409,
    warnings: ['unknown field "nonsense"'],
  });
});

test("a missing object is reported before an invalid includeObject", () => {
  const server = aServerWithOne();
  const missing = ask(server, "GET", `${CONFIG_MAPS}/b?includeObject=x`, undefined, TABLE);
  expect(missing.status).toBe(404);
  const found = ask(server, "GET", `${CONFIG_MAPS}/a?includeObject=x`, undefined, TABLE);
  expect(found).toMatchObject({
    status: 400,
    object: { message: expect.stringContaining("Unable to convert to Table as requested") },
  });
});

test("includeObject is ignored unless a table is requested", () => {
  const server = aServerWithOne();
  expect(ask(server, "GET", `${CONFIG_MAPS}?includeObject=x`).status).toBe(200);
  expect(askWatch(server, `${CONFIG_MAPS}?watch=1&includeObject=x`).type).toBe("watch");
});

test.each([
  ["?resourceVersion=99999", 504, "Timeout: Too large resource version: 99999, current: "],
  ["?export=true", 400, "the export parameter, deprecated since v1.14, is no longer supported"],
])("GET of one object with %s is rejected", (query, status, message) => {
  expect(ask(aServerWithOne(), "GET", `${CONFIG_MAPS}/a${query}`)).toMatchObject({
    status,
    object: { message: expect.stringContaining(message) },
  });
});

test("export=false is accepted", () => {
  expect(ask(aServerWithOne(), "GET", `${CONFIG_MAPS}/a?export=false`).status).toBe(200);
});

test("the media type is checked before the parameters", () => {
  const told = ask(aServerWithOne(), "GET", `${CONFIG_MAPS}?limit=x`, undefined, {
    accept: "text/html",
  });
  expect(told.status).toBe(406);
});

test("preconditions of a deletion may be in the query", () => {
  const server = aServerWithOne();
  expect(ask(server, "DELETE", `${CONFIG_MAPS}/a?uid=x`).status).toBe(409);
  expect(ask(server, "DELETE", `${CONFIG_MAPS}/a?resourceVersion=1`).status).toBe(409);
  expect(ask(server, "DELETE", `${CONFIG_MAPS}/a?propagationPolicy=`).status).toBe(422);
  const { uid } = ask(server, "GET", `${CONFIG_MAPS}/a`).object.metadata;
  expect(ask(server, "DELETE", `${CONFIG_MAPS}/a?uid=${uid}`).status).toBe(200);
});

test("metadata can be watched in protobuf", () => {
  const accept = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
  const { representation } = askWatch(aServerWithOne(), `${CONFIG_MAPS}?watch=1`, accept);
  expect(representation).toMatchObject({ media: "protobuf", as: "PartialObjectMetadata" });
});

test.each(["", "0"])(
  "a watch from revision %j with bookmarks marks the end of initial events",
  (from) => {
    const url = `${CONFIG_MAPS}?watch=1&allowWatchBookmarks=true&resourceVersion=${from}`;
    expect(askWatch(aServerWithOne(), url).watching.marksInitialEnd).toBe(true);
  },
);

const FORMAT = "the body of the request was in an unknown format";

test.each([
  ["text/plain", "415: Unsupported Media Type"],
  ["application/json-patch+json ; a=b", FORMAT],
  ["application/merge-patch+json,application/json", FORMAT],
])("a patch of type %s is rejected", (contentType, message) => {
  const told = ask(aServerWithOne(), "PATCH", `${CONFIG_MAPS}/a`, "{}", { contentType });
  expect(told).toMatchObject({
    status: 415,
    object: { message: expect.stringContaining(message) },
  });
});

test("the watch path of one object accepts only a selector for that object", () => {
  const server = aServerWithOne();
  const path = "/api/v1/watch/namespaces/default/configmaps/a?fieldSelector=metadata.name";
  expect(askWatch(server, `${path}%3Da`).watching.initial).toHaveLength(1);
  expect(ask(server, "GET", `${path}%3Db`)).toMatchObject({
    status: 400,
    object: { message: "fieldSelector metadata.name doesn't match requested name" },
  });
});

test("deleting a collection sends warnings once its options are valid", () => {
  const server = aServer();
  const jobs = "/apis/batch/v1/namespaces/default/jobs";
  expect(ask(server, "DELETE", `${jobs}?labelSelector=x~1`).warnings).toEqual([]);
  const failing = ask(server, "DELETE", `${jobs}?resourceVersion=99999`);
  expect([failing.status, failing.warnings.length]).toEqual([504, 1]);
});

test.each([
  ["limitranges", null],
  ["configmaps", []],
])("an empty table of %s has %j for rows", (resource, rows) => {
  const where = `/api/v1/namespaces/default/${resource}`;
  expect(ask(aServer(), "GET", where, undefined, TABLE).object).toMatchObject({ rows });
});
