import { expect, test } from "vitest";
import { jobBody } from "../../../test/builders/resources.ts";
import { aServer } from "../../../test/builders/server.ts";
import { ask } from "../../../test/support/ask.ts";

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

test("the server sets uid, timestamps, revision and generation, whatever the client sends", () => {
  const server = aServer();
  const forged = {
    uid: "mine",
    creationTimestamp: "1999-01-01T00:00:00Z",
    deletionTimestamp: "1999-01-01T00:00:00Z",
    deletionGracePeriodSeconds: 5,
    generation: 7,
    selfLink: "/me",
    managedFields: [{ manager: "me" }],
  };
  const body = jobBody({ name: "a", ...(forged as object) });
  const { object } = ask(server, "POST", "/apis/batch/v1/namespaces/default/jobs", body);
  expect(object.metadata).toMatchObject({
    creationTimestamp: "2026-01-01T00:00:00Z",
    generation: 1,
    resourceVersion: String(server.store.revision),
  });
  expect(object.metadata.uid).not.toBe("mine");
  const kept = new Set(Object.keys(object.metadata));
  const dropped = ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"];
  expect(dropped.filter((field) => kept.has(field))).toEqual([]);
  expect(object.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["unknown"]);
});

test("a generated name keeps 58 characters of generateName", () => {
  const metadata = { generateName: "x".repeat(80) };
  const { object } = ask(aServer(), "POST", CONFIG_MAPS, { metadata });
  expect(object.metadata.name).toMatch(/^x{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
});

test("a name takes precedence over generateName", () => {
  const metadata = { name: "a", generateName: "b-" };
  const { object } = ask(aServer(), "POST", CONFIG_MAPS, { metadata });
  expect(object.metadata).toMatchObject(metadata);
});

test("a generated name that exists is drawn again, at most eight times", () => {
  const suffixes = ["aaaaa", "aaaaa", "bbbbb"];
  const server = aServer();
  const random = { ...server.random, suffix: () => suffixes.shift() ?? "aaaaa" };
  const generate = () =>
    ask({ ...server, random }, "POST", CONFIG_MAPS, { metadata: { generateName: "n-" } });
  const made = [generate(), generate()];
  expect(made.map(({ object }) => object.metadata.name)).toEqual(["n-aaaaa", "n-bbbbb"]);
  const refused = generate();
  expect(refused.status).toBe(409);
  expect(refused.headers).toEqual({ "Retry-After": "1" });
  expect(refused.object).toMatchObject({
    reason: "AlreadyExists",
    message:
      'configmaps "n-aaaaa" already exists, ' +
      "the server was not able to generate a unique name for the object",
    details: { name: "n-", retryAfterSeconds: 1 },
  });
});

test("an object is created in the namespace of the path and must not contradict it", () => {
  const server = aServer();
  const silent = ask(server, "POST", CONFIG_MAPS, { metadata: { name: "a" } });
  expect(silent.object.metadata.namespace).toBe("default");
  const other = { metadata: { name: "b", namespace: "kube-public" } };
  expect(ask(server, "POST", CONFIG_MAPS, other)).toMatchObject({
    status: 400,
    object: {
      message:
        "the namespace of the provided object does not match the namespace sent on the request",
    },
  });
});

test("a dry run with an existing name is rejected", () => {
  const server = aServer();
  const body = { metadata: { name: "a" } };
  ask(server, "POST", CONFIG_MAPS, body);
  expect(ask(server, "POST", `${CONFIG_MAPS}?dryRun=All`, body).status).toBe(409);
  expect(ask(server, "POST", `${CONFIG_MAPS}?dryRun=Some`, body)).toMatchObject({
    status: 422,
    object: {
      message:
        'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: ' +
        'supported values: "All"',
    },
  });
});

test("unknown fields are warned about, rejected or ignored, depending on fieldValidation", () => {
  const server = aServer();
  const body = { metadata: { name: "a" }, nonsense: 1 };
  const post = (validation: string) =>
    ask(server, "POST", `${CONFIG_MAPS}?dryRun=All&fieldValidation=${validation}`, body);
  expect(post("").warnings).toEqual(['unknown field "nonsense"']);
  expect(post("Warn").warnings).toEqual(['unknown field "nonsense"']);
  expect(post("Ignore").warnings).toEqual([]);
  expect(post("Strict")).toMatchObject({
    status: 400,
    object: {
      message:
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: ' +
        'strict decoding error: unknown field "nonsense"',
    },
  });
});

test("the error for an existing name says if that object is being deleted", () => {
  const server = aServer();
  const metadata = { name: "a", finalizers: ["example.com/hold"] };
  ask(server, "POST", CONFIG_MAPS, { metadata });
  expect(ask(server, "POST", CONFIG_MAPS, { metadata }).object).toMatchObject({
    reason: "AlreadyExists",
    message: 'configmaps "a" already exists',
  });
  ask(server, "DELETE", `${CONFIG_MAPS}/a`);
  expect(ask(server, "POST", CONFIG_MAPS, { metadata }).object).toMatchObject({
    reason: "AlreadyExists",
    message: 'object is being deleted: configmaps "a" already exists',
  });
});

test("a valid object gets its warnings even if its name exists", () => {
  const server = aServer();
  const jobs = "/apis/batch/v1/namespaces/default/jobs";
  const body = jobBody({ name: "with.dots" });
  const [warning] = ask(server, "POST", jobs, body).warnings;
  expect(warning).toContain("a DNS label is recommended");
  expect(ask(server, "POST", jobs, body)).toMatchObject({ status: 409, warnings: [warning] });
});
