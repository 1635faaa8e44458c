import { expect, test } from "vitest";
import { changed, storedPod } from "../../../test/builders/pod.ts";
import { prepareForStatusUpdate } from "./prepare.ts";

test("a new pod is pending, whatever status the client sends", () => {
  const { status } = storedPod();
  expect(status).toEqual({ phase: "Pending", qosClass: "BestEffort" });
});

test("a gated pod has the condition from its creation on", () => {
  const { status } = storedPod({ spec: { schedulingGates: [{ name: "a" }] } });
  expect(status.conditions).toEqual([
    {
      type: "PodScheduled",
      status: "False",
      lastProbeTime: null,
      lastTransitionTime: "2026-01-01T00:00:00Z",
      reason: "SchedulingGated",
      message: "Scheduling is blocked due to non-empty scheduling gates",
    },
  ]);
});

test("fields of disabled features are dropped, others of the same volume are kept", () => {
  const { spec } = storedPod({
    spec: {
      schedulingGroup: { podGroupName: "g" },
      containers: [
        { name: "c", image: "x", lifecycle: { stopSignal: "SIGINT" } },
        {
          name: "d",
          image: "x",
          lifecycle: { stopSignal: "SIGINT", preStop: { sleep: { seconds: 1 } } },
        },
      ],
      volumes: [
        {
          name: "v",
          projected: {
            sources: [{ clusterTrustBundle: { name: "b", path: "x" } }, { secret: { name: "s" } }],
          },
        },
      ],
    },
  });
  expect(spec.schedulingGroup).toBeUndefined();
  expect(spec.containers?.[0]).not.toHaveProperty("lifecycle");
  expect(spec.containers?.[1]?.lifecycle).toEqual({ preStop: { sleep: { seconds: 1 } } });
  expect(spec.volumes?.[0]?.projected?.sources).toEqual([{}, { secret: { name: "s" } }]);
});

test("matchLabelKeys become requirements with the pod's own values", () => {
  const term = {
    topologyKey: "zone",
    labelSelector: { matchLabels: { app: "x" } },
    matchLabelKeys: ["hash", "absent"],
    mismatchLabelKeys: ["tenant"],
  };
  const spread = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" };
  const { spec } = storedPod({
    metadata: { labels: { hash: "1", tenant: "t" } },
    spec: {
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
      topologySpreadConstraints: [
        { ...spread, labelSelector: {}, matchLabelKeys: ["hash"] },
        { ...spread, whenUnsatisfiable: "ScheduleAnyway", matchLabelKeys: ["hash"] },
      ],
    },
  });
  const terms = spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  expect(terms?.[0]?.labelSelector?.matchExpressions).toEqual([
    { key: "hash", operator: "In", values: ["1"] },
    { key: "tenant", operator: "NotIn", values: ["t"] },
  ]);
  expect(spec.topologySpreadConstraints?.map(({ labelSelector }) => labelSelector)).toEqual([
    { matchExpressions: [{ key: "hash", operator: "In", values: ["1"] }] },
    undefined,
  ]);
});

test("an AppArmor annotation is copied to the field, but not vice versa", () => {
  const key = "container.apparmor.security.beta.kubernetes.io/c";
  const fromField = storedPod({
    spec: { securityContext: { appArmorProfile: { type: "Unconfined" } } },
  });
  expect(fromField.metadata.annotations).toBeUndefined();
  const fromAnnotation = storedPod({ metadata: { annotations: { [key]: "localhost/p" } } });
  expect(fromAnnotation.spec.containers?.[0]?.securityContext).toEqual({
    appArmorProfile: { type: "Localhost", localhostProfile: "p" },
  });
});

test("a status update changes only the status and keeps observedGeneration", () => {
  const old = storedPod({
    status: {
      observedGeneration: 3,
      conditions: [{ type: "Ready", status: "False", observedGeneration: 2 }],
    },
  });
  const next = changed(old, ({ spec, status, metadata }) => {
    spec.nodeName = "n1";
    metadata.ownerReferences = [{ apiVersion: "v1", kind: "Node", name: "n", uid: "u" }];
    delete status.qosClass;
    delete status.observedGeneration;
    status.conditions = [{ type: "Ready", status: "True" }];
  });
  prepareForStatusUpdate(next, old);
  expect(next.spec).toEqual(old.spec);
  expect(next.metadata.ownerReferences).toBeUndefined();
  expect(next.status).toEqual({
    phase: "Pending",
    qosClass: "BestEffort",
    observedGeneration: 3,
    conditions: [{ type: "Ready", status: "True", observedGeneration: 2 }],
  });
});
