import { expect, test } from "vitest";
import { startController } from "../../../test/builders/controller.ts";
import { configMaps } from "../../api/resources.ts";
import { Metrics } from "../../base/metrics.ts";
import { rootCaController } from "./root-ca-publisher.ts";

const PLACE = { namespace: "kube-public", name: "kube-root-ca.crt" };
const KEY = "kubernetes.io/description";

test("every namespace gets the certificate, with a description", async () => {
  const { client } = await startController(rootCaController("PEM"));
  const { items } = await client.list(configMaps);
  expect(items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
    "default/kube-root-ca.crt",
    "kube-node-lease/kube-root-ca.crt",
    "kube-public/kube-root-ca.crt",
    "kube-system/kube-root-ca.crt",
  ]);
  for (const { data, metadata } of items) {
    expect(data).toEqual({ "ca.crt": "PEM" });
    expect(metadata.annotations?.[KEY]).toMatch(/CA certificate/);
  }
});

test("a server with a new certificate replaces the old one", async () => {
  const { client, server, stop } = await startController(rootCaController("OLD"));
  stop();
  const { log, clock, random } = server;
  await rootCaController("NEW").start({ client, clock, random, log, metrics: new Metrics() });
  await new Promise((resolve) => setImmediate(resolve));
  const { items } = await client.list(configMaps);
  expect(items.map(({ data }) => data)).toEqual(Array(4).fill({ "ca.crt": "NEW" }));
});

test.each([
  ["additional data is removed", { data: { "other.crt": "x" } }, { data: { "ca.crt": "PEM" } }],
  ["deleted data is restored", { data: null }, { data: { "ca.crt": "PEM" } }],
  ["binaryData is kept", { binaryData: { b: "AA==" }, data: null }, { binaryData: { b: "AA==" } }],
  [
    "labels and other annotations are kept",
    { metadata: { labels: { a: "b" }, annotations: { mine: "yes" } }, data: { "ca.crt": "x" } },
    { metadata: { labels: { a: "b" }, annotations: { mine: "yes" } }, data: { "ca.crt": "PEM" } },
  ],
  [
    "a changed description is kept",
    { metadata: { annotations: { [KEY]: "mine" } } },
    { metadata: { annotations: { [KEY]: "mine" } } },
  ],
  [
    "a missing description is restored",
    { metadata: { annotations: null } },
    { metadata: { annotations: { [KEY]: expect.stringMatching(/CA certificate/) } } },
  ],
])("%s", async (_, body, expected) => {
  const { client, settle } = await startController(rootCaController("PEM"));
  await client.patch(configMaps, PLACE, { type: "merge", body });
  await settle();
  const { items } = await client.list(configMaps, { namespace: PLACE.namespace });
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject(expected);
  expect(items[0]?.data).toEqual({ "ca.crt": "PEM" });
});
