import { expect, test } from "vitest";
import { jobBody, podBody } from "../../test/builders/resources.ts";
import { aServer } from "../../test/builders/server.ts";
import type { ResourceType } from "../api/client.ts";
import type { LimitRange, Pod } from "../api/generated/core.ts";
import { jobs, pods } from "../api/resources.ts";
import { localClient } from "./local.ts";

const TEMPLATE = {
  containers: [{ name: "c", image: "busybox", resources: {} }],
  affinity: {},
} as unknown as Pod["spec"];

const limitRanges: ResourceType<LimitRange> = {
  group: "",
  version: "v1",
  resource: "limitranges",
  kind: "LimitRange",
  namespaced: true,
};

const ofTemplate = (name: string, spec = TEMPLATE): Pod => ({ ...podBody({ name }), spec });

test("pods of one template share its decoded parts", async () => {
  const client = localClient(aServer());
  const first = await client.create(pods, ofTemplate("a"));
  const second = await client.create(pods, ofTemplate("b"));
  expect(second.spec.containers).toBe(first.spec.containers);
  expect(second.spec.containers?.[0]).toMatchObject({ terminationMessagePolicy: "File" });
});

test("pods whose templates are equal but not identical share nothing", async () => {
  const client = localClient(aServer());
  const first = await client.create(pods, ofTemplate("a"));
  const second = await client.create(pods, ofTemplate("b", structuredClone(TEMPLATE)));
  expect(second.spec.containers).not.toBe(first.spec.containers);
  expect(second.spec.containers).toEqual(first.spec.containers);
});

test("a pod that shares parts is still validated", async () => {
  const client = localClient(aServer());
  await client.create(pods, ofTemplate("a", { ...TEMPLATE, hostname: "fine" }));
  const bad = client.create(pods, ofTemplate("b", { ...TEMPLATE, hostname: "Not A Name" }));
  await expect(bad).rejects.toMatchObject({ reason: "Invalid" });
});

test("an invalid template is rejected each time", async () => {
  const client = localClient(aServer());
  const spec = { containers: [{ name: "c", image: " spaced " }] } as unknown as Pod["spec"];
  const refusals = await Promise.all(
    ["a", "b"].map((name) => client.create(pods, ofTemplate(name, spec)).catch(String)),
  );
  expect(refusals[1]).toContain("must not have leading or trailing whitespace");
  expect(refusals[0]).toContain("must not have leading or trailing whitespace");
});

test("limits of a LimitRange apply only to pods created while it exists", async () => {
  const client = localClient(aServer());
  const before = await client.create(pods, ofTemplate("a"));
  await client.create(limitRanges, {
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name: "l", namespace: "default" },
    spec: { limits: [{ type: "Container", default: { cpu: "1" } }] },
  });
  const under = await client.create(pods, ofTemplate("b"));
  await client.delete(limitRanges, { namespace: "default", name: "l" });
  const after = await client.create(pods, ofTemplate("c"));
  expect(before.spec.containers?.[0]?.resources).toEqual({});
  expect(after.spec.containers?.[0]?.resources).toEqual({});
  expect(under.spec.containers?.[0]?.resources).toMatchObject({ limits: { cpu: "1" } });
});

test("Jobs made from one spec do not get each other's labels", async () => {
  const client = localClient(aServer());
  const { spec } = jobBody({ name: "unused" });
  const made = await Promise.all(
    ["a", "b"].map((name) => client.create(jobs, { ...jobBody({ name }), spec })),
  );
  for (const { metadata, spec: own } of made) {
    const label = own.template.metadata.labels?.["batch.kubernetes.io/controller-uid"];
    expect(label).toBe(metadata.uid);
  }
});
