/** Custom kinds, used with a real kubectl. */
import { expect } from "vitest";
import { aDefinition } from "../builders/custom-resources.ts";
import {
  alertRule,
  certificate,
  clusterQueue,
  operatorDefinitions,
} from "../builders/operator-definitions.ts";
import { kubectlTests, type Prompt } from "./prompt.ts";

const check = kubectlTests();

/** Definitions are cluster-wide, so each test has its own group. */
function definitionOf(group: string) {
  const parts = {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: {
      type: "object",
      required: ["name"],
      properties: { name: { type: "string" }, size: { type: "integer" } },
    },
  };
  const spec = {
    description: "What is wanted.",
    type: "object",
    required: ["color"],
    properties: {
      color: { type: "string", enum: ["red", "green"] },
      replicas: { type: "integer", default: 1, description: "How many there are." },
      parts,
    },
    "x-kubernetes-validations": [
      { rule: "self.color != 'red' || self.replicas <= 3", message: "red ones are rare" },
    ],
  };
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const version = {
    subresources: { status: {}, scale },
    additionalPrinterColumns: [
      { name: "Color", type: "string", jsonPath: ".spec.color" },
      { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
      { name: "Ready", type: "boolean", jsonPath: ".status.ready" },
    ],
  };
  const names = { shortNames: [`wd${group[0]}`] };
  const made = aDefinition({ spec, version, names, definition: { group } });
  return { ...made, metadata: { name: `widgets.${group}` } };
}

const widgetOf = (group: string, spec: object) => ({
  apiVersion: `${group}/v1`,
  kind: "Widget",
  metadata: { name: "w" },
  spec,
});

async function define({ prints }: Prompt, group: string): Promise<void> {
  expect(await prints("apply -f -", { stdin: definitionOf(group) })).toBe(
    `customresourcedefinition.apiextensions.k8s.io/widgets.${group} created\n`,
  );
  const wait = `wait --for=condition=established crd/widgets.${group} --timeout=150s`;
  expect(await prints(wait)).toMatch(/condition met\n$/);
}

check("custom objects are applied, shown, scaled, explained and deleted", async (prompt) => {
  const { prints, refuses } = prompt;
  const group = "one.example.com";
  await define(prompt, group);
  const stdin = widgetOf(group, { color: "green" });
  expect(await prints("apply -f -", { stdin })).toBe(`widget.${group}/w created\n`);
  expect(await prints("apply -f -", { stdin })).toBe(`widget.${group}/w unchanged\n`);
  expect(await prints(`scale widgets.${group} w --replicas=5`)).toBe(`widget.${group}/w scaled\n`);
  const status = ["--subresource=status", "--type=merge", "-p", '{"status":{"ready":true}}'];
  expect(await prints(["patch", `widgets.${group}`, "w", ...status])).toBe(
    `widget.${group}/w patched\n`,
  );
  expect(await prints("get wdo")).toMatch(/^NAME +COLOR +REPLICAS +READY\nw +green +5 +true\n$/);
  const text = await prints(`explain widgets.spec.replicas --api-version=${group}/v1`);
  expect(text).toContain("FIELD: replicas <integer>");
  expect(text).toContain("How many there are.");
  const red = { ...stdin, spec: { color: "red" } };
  expect(await refuses("apply -f -", { stdin: red })).toContain("red ones are rare");
  const unknown = { ...stdin, metadata: { name: "v" }, spec: { color: "red", colour: "x" } };
  expect(await refuses("apply -f -", { stdin: unknown })).toContain(
    'strict decoding error: unknown field "spec.colour"',
  );
  expect(await prompt.kubectl(`delete crd widgets.${group}`)).toMatchObject({ code: 0 });
  expect(await refuses(`get widgets.${group}`)).toMatch(/NotFound|have a resource type/);
});

check("server-side apply merges custom lists by their keys", async (prompt) => {
  const { prints, kubectl } = prompt;
  const group = "two.example.com";
  await define(prompt, group);
  const apply = (manager: string, spec: object) =>
    kubectl(`apply --server-side --field-manager=${manager} -f -`, {
      stdin: widgetOf(group, { color: "green", ...spec }),
    });
  expect(await apply("me", { parts: [{ name: "a", size: 1 }] })).toMatchObject({ code: 0 });
  expect(await apply("you", { parts: [{ name: "b", size: 2 }] })).toMatchObject({ code: 0 });
  const path = "-o=jsonpath={.spec.parts}";
  expect(await prints(`get widgets.${group} w ${path}`)).toBe(
    '[{"name":"a","size":1},{"name":"b","size":2}]',
  );
  const refused = await apply("you", { parts: [{ name: "a", size: 3 }] });
  expect(refused.stderr).toContain('conflict with "me": .spec.parts[name="a"].size');
});

check(
  "definitions of operators can be installed, and their objects created",
  async ({ prints, refuses }) => {
    const stdin = { apiVersion: "v1", kind: "List", items: operatorDefinitions };
    expect((await prints("create -f -", { stdin })).match(/ created/g)).toHaveLength(3);
    for (const object of [certificate, alertRule, clusterQueue]) {
      expect(await prints("apply -f -", { stdin: object })).toMatch(/ created\n$/);
      expect(await prints("apply -f -", { stdin: object })).toMatch(/ unchanged\n$/);
    }
    expect(await prints("get certs -o wide")).toMatch(
      /^NAME +READY +SECRET +ISSUER +AGE\nsite +site-tls +ca +\d+s\n$/,
    );
    expect(await prints("get cq main -o jsonpath={.spec.preemption.reclaimWithinCohort}")).toBe(
      "Never",
    );
    const [group] = clusterQueue.spec.resourceGroups;
    const resources = [{ name: "cpu", nominalQuota: "-1" }];
    const wrong = { ...group, flavors: [{ name: "default", resources }] };
    const bad = { ...clusterQueue, spec: { ...clusterQueue.spec, resourceGroups: [wrong] } };
    expect(await refuses("apply -f -", { stdin: bad })).toContain("quotas may not be negative");
  },
);
