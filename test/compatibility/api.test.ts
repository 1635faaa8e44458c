/** Differences between the APIs of Tally and Kubernetes, as docs/compatibility.md lists them. */
import { expect, test } from "vitest";
import { parseQuantity } from "../../src/api/quantity.ts";
import { aServerWith, WIDGETS } from "../builders/custom-resources.ts";
import { podBody } from "../builders/resources.ts";
import { aServer } from "../builders/server.ts";
import { ask } from "../support/ask.ts";

const PODS = "/api/v1/namespaces/default/pods";
const ROLES = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";

test("a client that sends an empty list does not own the field", () => {
  const server = aServer();
  const body = { metadata: { name: "r", labels: { a: "b" } }, rules: [] };
  ask(server, "POST", `${ROLES}?fieldManager=me`, body);
  const { metadata } = ask(server, "GET", `${ROLES}/r`).object;
  const [entry] = metadata.managedFields ?? [];
  expect(entry).toMatchObject({ manager: "me", operation: "Update" });
  expect(Object.keys(entry?.fieldsV1 ?? {})).toEqual(["f:metadata"]);
});

test("an integer beyond 2^53 is stored as the nearest double", async () => {
  const server = await aServerWith();
  const text =
    '{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},' +
    '"spec":{"replicas":9007199254740993}}';
  expect(ask(server, "POST", WIDGETS, text).status).toBe(201);
  expect(ask(server, "GET", `${WIDGETS}/w`).object).toMatchObject({
    spec: { replicas: 9007199254740992 },
  });
});

test("a quantity of more than 1,024 characters is refused", () => {
  expect(parseQuantity(`${"0".repeat(1023)}1`)).toMatchObject({ nanos: 1_000_000_000n });
  expect(parseQuantity(`${"0".repeat(1024)}1`)).toMatchObject({ problem: expect.any(String) });
});

test("a stored pod has neither a default ServiceAccount nor a volume with its token", () => {
  const server = aServer();
  ask(server, "POST", PODS, podBody({ name: "p" }));
  const { spec } = ask(server, "GET", `${PODS}/p`).object as unknown as { spec: object };
  expect(spec).not.toHaveProperty("serviceAccountName");
  expect(spec).not.toHaveProperty("volumes");
});

test("a pod may name a ServiceAccount that does not exist", () => {
  const body = podBody({ name: "p" }, { serviceAccountName: "missing" });
  expect(ask(aServer(), "POST", PODS, body).status).toBe(201);
});

test("the resources of a running pod cannot be changed", () => {
  const server = aServer();
  const containers = [{ name: "c", image: "i", resources: { limits: { memory: "1Gi" } } }];
  ask(server, "POST", PODS, podBody({ name: "p" }, { containers }));
  const status = {
    containerStatuses: [{ name: "c", image: "i", state: { running: {} }, ready: true }],
  };
  const merge = { contentType: "application/merge-patch+json" };
  ask(server, "PATCH", `${PODS}/p/status`, { status }, merge);
  const strategic = { contentType: "application/strategic-merge-patch+json" };
  const resources = { limits: { memory: "2Gi" }, requests: { memory: "2Gi" } };
  const body = { spec: { containers: [{ name: "c", resources }] } };
  expect(ask(server, "PATCH", `${PODS}/p/resize`, body, strategic)).toMatchObject({
    status: 422,
    object: { message: expect.stringContaining("Pod running on node without support for resize") },
  });
});

test.each([
  "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
  "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
  "/apis/autoscaling/v2/horizontalpodautoscalers",
  "/apis/certificates.k8s.io/v1/certificatesigningrequests",
  "/apis/networking.k8s.io/v1/ingresses",
  "/apis/networking.k8s.io/v1/networkpolicies",
  "/apis/resource.k8s.io/v1/resourceclaims",
  "/apis/storage.k8s.io/v1/csidrivers",
])("the kind at %s is not served", (url) => {
  expect(ask(aServer(), "GET", url).status).toBe(404);
});
