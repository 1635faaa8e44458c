/**
 * Tally's own kinds over HTTP: the same behaviour as a cluster with the manifests in deploy/crds.
 */
import { beforeEach, expect, test } from "vitest";
import { aServer, type TestServer } from "../../../test/builders/server.ts";
import { aTemplate, aWorkflow } from "../../../test/builders/workflows.ts";
import { ask } from "../../../test/support/ask.ts";

const GROUP = "/apis/tallyjob.io/v1alpha1";
const PATH = `${GROUP}/namespaces/default`;
let server: TestServer;

beforeEach(() => {
  server = aServer();
});

const theTemplate = {
  apiVersion: "tallyjob.io/v1alpha1",
  kind: "JobTemplate",
  metadata: { name: "t" },
  spec: { template: aTemplate() },
};

test("discovery lists Tally's kinds beside the indexes of Jobs", () => {
  const { resources } = ask(server, "GET", GROUP).object as unknown as {
    resources: { name: string; shortNames?: string[] }[];
  };
  expect(resources.map(({ name }) => name)).toEqual([
    "jobs/indexes",
    "jobs/submission",
    "jobtemplates",
    "scheduledjobs",
    "scheduledjobs/status",
    "workflows",
    "workflows/status",
  ]);
});

test("OpenAPI describes Tally's kinds, including their pod templates", () => {
  const told = ask(server, "GET", "/openapi/v3/apis/tallyjob.io/v1alpha1");
  const { components, paths } = told.object as unknown as {
    components: { schemas: { [name: string]: { description?: string } } };
    paths: { [path: string]: object };
  };
  expect(components.schemas["io.tallyjob.v1alpha1.WorkflowStep"]?.description).toBeTruthy();
  expect(components.schemas["io.k8s.api.core.v1.PodSpec"]).toBeDefined();
  const one = `${GROUP}/namespaces/{namespace}/workflows/{name}`;
  expect(Object.keys(paths[one] ?? {})).toEqual(["get", "put", "patch", "delete", "parameters"]);
});

test("Tally's kinds have no protobuf encoding", () => {
  ask(server, "POST", `${PATH}/jobtemplates`, theTemplate);
  const protobuf = "application/vnd.kubernetes.protobuf";
  const only = ask(server, "GET", `${PATH}/jobtemplates/t`, undefined, { accept: protobuf });
  expect(only.status).toBe(406);
  const either = { accept: `${protobuf},application/json` };
  const told = ask(server, "GET", `${PATH}/jobtemplates/t`, undefined, either);
  expect(told).toMatchObject({ status: 200, contentType: "application/json" });
  const sent = { contentType: protobuf };
  expect(ask(server, "POST", `${PATH}/jobtemplates`, theTemplate, sent)).toMatchObject({
    status: 415,
    object: {
      message:
        "the body of the request was in an unknown format - accepted media types include: " +
        "application/json, application/yaml",
    },
  });
});

test("a strategic merge patch merges steps by name", () => {
  ask(server, "POST", `${PATH}/workflows`, aWorkflow(["a", "b"]));
  const patch = (body: object) =>
    ask(server, "PATCH", `${PATH}/workflows/w`, body, {
      contentType: "application/strategic-merge-patch+json",
    });
  const same = { spec: { suspend: true, jobs: [{ name: "b" }] } };
  expect(patch(same)).toMatchObject({ status: 200, object: { metadata: { generation: 2 } } });
  const more = { spec: { jobs: [{ name: "c", templateRef: { name: "t" } }] } };
  expect(patch(more)).toMatchObject({
    status: 422,
    object: {
      message: 'Workflow.tallyjob.io "w" is invalid: spec.jobs: Forbidden: field is immutable',
    },
  });
});

test("a table has the columns of the manifest", () => {
  ask(server, "POST", `${PATH}/workflows`, aWorkflow(["a"]));
  const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
  const told = ask(server, "GET", `${PATH}/workflows`, undefined, { accept });
  const table = told.object as unknown as {
    columnDefinitions: { name: string }[];
    rows: { cells: unknown[] }[];
  };
  expect(table.columnDefinitions.map(({ name }) => name)).toEqual([
    ...["Name", "Status", "Steps", "Succeeded", "Active", "Failed", "Skipped", "Age"],
  ]);
  expect(table.rows[0]?.cells[0]).toBe("w");
});

test("a Workflow with missing templates is rejected", () => {
  const jobs = ["t", "u", "v"].map((name) => ({ name, templateRef: { name } }));
  ask(server, "POST", `${PATH}/jobtemplates`, theTemplate);
  const workflow = aWorkflow([], [], { jobs });
  expect(ask(server, "POST", `${PATH}/workflows`, workflow)).toMatchObject({
    status: 422,
    object: {
      message:
        'Workflow.tallyjob.io "w" is invalid: [spec.jobs[1].templateRef.name: Not found: "u", ' +
        'spec.jobs[2].templateRef.name: Not found: "v"]',
    },
  });
});

test("invalid values and unknown fields are reported in Kubernetes' words", () => {
  const { spec } = theTemplate;
  const scheduled = {
    apiVersion: "tallyjob.io/v1alpha1",
    kind: "ScheduledJob",
    metadata: { name: "s" },
    spec: { runAt: "tomorrow", jobTemplate: spec.template },
  };
  const told = ask(server, "POST", `${PATH}/scheduledjobs`, scheduled);
  expect(told.status).toBe(400);
  expect(told.object).toMatchObject({
    message: expect.stringContaining('parsing time "tomorrow" as "2006-01-02T15:04:05Z07:00"'),
  });
  const unknown = { ...theTemplate, spec: { ...spec, templates: [] } };
  const path = `${PATH}/jobtemplates?fieldValidation=Strict`;
  expect(ask(server, "POST", path, unknown).object).toMatchObject({
    message: expect.stringContaining('strict decoding error: unknown field "spec.templates"'),
  });
});
