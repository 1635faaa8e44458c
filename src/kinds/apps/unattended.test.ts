import { expect, test } from "vitest";
import { created, patched } from "../../../test/builders/created.ts";
import type { DaemonSet, Deployment } from "../../api/generated/apps.ts";
import type { Json } from "../../api/object.ts";
import { controllerRevisionKind } from "./controller-revision.ts";
import { daemonSetKind } from "./daemon-set.ts";
import { deploymentKind } from "./deployment.ts";
import { replicaSetKind } from "./replica-set.ts";

type Body = { [key: string]: Json };

function workload(spec: Body = {}): Body {
  const template = {
    metadata: { labels: { a: "b" } },
    spec: { containers: [{ name: "c", image: "busybox:1.36" }] },
  };
  return { spec: { selector: { matchLabels: { a: "b" } }, template, ...spec } };
}

const NOW = new Date(0);

test.each([
  [deploymentKind, ["j", "0/1", 0, 0, "<unknown>", "c", "busybox:1.36", "a=b"]],
  [replicaSetKind, ["j", 1, 0, 0, "<unknown>", "c", "busybox:1.36", "a=b"]],
  [daemonSetKind, ["j", 0, 0, 0, 0, 0, "<none>", "<unknown>", "c", "busybox:1.36", "a=b"]],
])("$kind is stored and shown", (kind, cells) => {
  const object = created(kind, workload());
  expect(kind.rules.validate(object)).toEqual([]);
  expect(kind.cells(object, NOW)).toEqual(cells);
  expect(kind.columns).toHaveLength(cells.length);
});

test("a Deployment defaults to rolling updates of 25%", () => {
  const { spec } = created<Deployment>(deploymentKind, workload());
  expect(spec).toMatchObject({
    replicas: 1,
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
  expect(spec.strategy).toEqual({
    type: "RollingUpdate",
    rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" },
  });
  const recreated = workload({ strategy: { type: "Recreate" } });
  const { strategy } = created<Deployment>(deploymentKind, recreated).spec;
  expect(strategy).toEqual({ type: "Recreate" });
});

test("a DaemonSet defaults to updating one node at a time", () => {
  const { updateStrategy } = created<DaemonSet>(daemonSetKind, workload()).spec;
  expect(updateStrategy).toEqual({
    type: "RollingUpdate",
    rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
  });
});

test("the status in create and update requests is ignored", () => {
  const body = { ...workload(), status: { replicas: 3 } };
  const object = created<Deployment>(deploymentKind, body);
  expect(object.status).toEqual({});
  const next = patched<Deployment>(deploymentKind, object, { status: { replicas: 3 } });
  deploymentKind.rules.prepareForUpdate?.(next, object);
  expect(next.status).toEqual({});
});

test("a ControllerRevision keeps its data, and names its controller", () => {
  const owner = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: "u" };
  const revision = created(controllerRevisionKind, {
    metadata: { ownerReferences: [{ ...owner, controller: true }] },
    data: { spec: { a: 1 } },
    revision: 2,
  });
  const { rules, cells } = controllerRevisionKind;
  expect(rules.validate(revision)).toEqual([]);
  expect(cells(revision, NOW)).toEqual(["j", "statefulset.apps/web", 2, "<unknown>"]);
  const next = patched(controllerRevisionKind, revision, { data: { spec: { a: 2 } }, revision: 3 });
  expect(rules.validateUpdate(next, revision).map((finding) => finding.field)).toEqual(["data"]);
});

test("a ControllerRevision without data is rejected", () => {
  const revision = created(controllerRevisionKind, { revision: -1 });
  const fields = controllerRevisionKind.rules.validate(revision).map((finding) => finding.field);
  expect(fields).toEqual(["data", "revision"]);
  expect(controllerRevisionKind.cells(revision, NOW)[1]).toBe("<none>");
});

test("the template generation of a DaemonSet is kept in its annotation", () => {
  const key = "deprecated.daemonset.template.generation";
  const made = created<DaemonSet>(daemonSetKind, workload());
  daemonSetKind.rules.prepareForCreate?.(made);
  expect(made.metadata.annotations).toEqual({ [key]: "1" });
  const next = patched<DaemonSet>(daemonSetKind, made, {
    metadata: { annotations: null },
    spec: { template: { metadata: { labels: { c: "d" } } } },
  });
  expect(next.metadata.annotations, "leaving it out is sending none").toEqual({ [key]: "0" });
  daemonSetKind.rules.prepareForUpdate?.(next, made);
  expect(next.metadata.annotations).toEqual({ [key]: "2" });
});

test("the data of a ControllerRevision must be an object", () => {
  const made = created(controllerRevisionKind, { data: [1], revision: 1 });
  expect(controllerRevisionKind.rules.validate(made)).toMatchObject([
    { field: "data", message: "Required value: data must be a valid JSON object" },
  ]);
});

test("a name with dots causes a warning", () => {
  const made = created(deploymentKind, { ...workload(), metadata: { name: "a.b" } });
  expect(deploymentKind.rules.warningsOnCreate?.(made)).toHaveLength(1);
  expect(daemonSetKind.rules.warningsOnCreate?.(created(daemonSetKind, made))).toEqual([]);
});
