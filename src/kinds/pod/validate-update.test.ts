import { expect, test } from "vitest";
import { changed, storedPod } from "../../../test/builders/pod.ts";
import { formatFinding } from "../../api/finding.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { prepareForEphemeralContainersUpdate, prepareForResize } from "./prepare.ts";
import { validatePodResize } from "./validate-resize.ts";
import { validateEphemeralContainersUpdate, validatePodUpdate } from "./validate-update.ts";

const IMMUTABLE = "spec: Forbidden: pod updates may not change fields other than";

function update(old: Pod, change: (next: Draft<Pod>) => void): string[] {
  const findings = validatePodUpdate(changed(old, change), old).map(formatFinding);
  return findings.map((text) => (text.startsWith(IMMUTABLE) ? IMMUTABLE : text));
}

const gates = [{ name: "example.com/a" }];
const required = "requiredDuringSchedulingIgnoredDuringExecution";

test.each<[string, Pod, (next: Draft<Pod>) => void, string[]]>([
  ["nothing", storedPod(), () => undefined, []],
  [
    "an image",
    storedPod(),
    ({ spec }) => {
      for (const container of spec.containers ?? []) container.image = "other";
    },
    [],
  ],
  [
    "an additional toleration, and the seconds of another",
    storedPod({ spec: { tolerations: [{ key: "a", operator: "Exists", effect: "NoExecute" }] } }),
    ({ spec }) => {
      spec.tolerations = [
        { operator: "Exists" },
        { key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 1 },
      ];
    },
    [],
  ],
  [
    "a removed toleration",
    storedPod({ spec: { tolerations: [{ key: "a", operator: "Exists" }] } }),
    ({ spec }) => {
      delete spec.tolerations;
    },
    [
      "spec.tolerations: Forbidden: existing toleration can not be modified except its " +
        "tolerationSeconds",
    ],
  ],
  [
    "an additional container",
    storedPod(),
    ({ spec }) => {
      spec.containers = [...(spec.containers ?? []), ...(spec.containers ?? [])];
    },
    [
      'spec.containers[1].name: Duplicate value: "c"',
      "spec.containers: Forbidden: pod updates may not add or remove containers",
    ],
  ],
  [
    "a negative grace period to one",
    storedPod({ spec: { terminationGracePeriodSeconds: -1 } }),
    ({ spec }) => {
      spec.terminationGracePeriodSeconds = 1;
    },
    [],
  ],
  [
    "the node selector of a pod without gates",
    storedPod(),
    ({ spec }) => {
      spec.nodeSelector = { a: "b" };
    },
    [IMMUTABLE],
  ],
  [
    "the node selector of a gated pod, to none",
    storedPod({ spec: { schedulingGates: gates, nodeSelector: { a: "b" } } }),
    ({ spec }) => {
      delete spec.nodeSelector;
    },
    [
      "spec.nodeSelector: Invalid value: null: only additions to spec.nodeSelector are allowed " +
        "(no mutations or deletions)",
    ],
  ],
  [
    "the node affinity of a gated pod, for the first time",
    storedPod({ spec: { schedulingGates: gates } }),
    ({ spec }) => {
      spec.affinity = {
        nodeAffinity: {
          [required]: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }],
          },
        },
      };
    },
    [],
  ],
  [
    "a term of the node affinity of a gated pod",
    storedPod({
      spec: {
        schedulingGates: gates,
        affinity: {
          nodeAffinity: {
            [required]: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Exists" }] }],
            },
          },
        },
      },
    }),
    ({ spec }) => {
      const terms = spec.affinity?.nodeAffinity?.[required]?.nodeSelectorTerms ?? [];
      for (const term of terms) term.matchExpressions = [{ key: "b", operator: "Exists" }];
    },
    [
      `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms[0]: Invalid value: ` +
        '{"MatchExpressions":[{"Key":"b","Operator":"Exists","Values":null}],' +
        '"MatchFields":null}: only additions are allowed (no mutations or deletions)',
    ],
  ],
  [
    "an annotation of AppArmor",
    storedPod(),
    ({ metadata }) => {
      const key = "container.apparmor.security.beta.kubernetes.io/c";
      metadata.annotations = { [key]: "unconfined" };
    },
    [
      "metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: Forbidden: may " +
        "not add AppArmor annotations",
    ],
  ],
])("whether an update may change %s", (_, old, change, findings) => {
  expect(update(old, change)).toEqual(findings);
});

test("the message shows the differences after the list of mutable fields", () => {
  const old = storedPod();
  const next = changed(old, ({ spec }) => {
    spec.nodeName = "n1";
  });
  expect(validatePodUpdate(next, old)[0]?.message).toMatch(
    /\)\n- nodeName: null\n\+ nodeName: "n1"\n$/,
  );
});

const debug = { name: "debug", image: "x" };

test("ephemeral containers are added through their subresource and never change", () => {
  const old = storedPod();
  const add = (pod: Pod, container: object) =>
    changed(pod, (next) => {
      const { spec } = storedPod({ spec: { ephemeralContainers: [container] } });
      next.spec.nodeName = "ignored";
      next.spec.ephemeralContainers = spec.ephemeralContainers ?? [];
      prepareForEphemeralContainersUpdate(next, pod);
    });
  const debugged = add(old, debug);
  expect(debugged.spec.nodeName).toBeUndefined();
  expect(validateEphemeralContainersUpdate(debugged, old)).toEqual([]);
  expect(validatePodUpdate(debugged, debugged)).toEqual([]);
  const findings = validateEphemeralContainersUpdate(
    add(debugged, { ...debug, tty: true }),
    debugged,
  );
  expect(findings.map(formatFinding)).toEqual([
    'spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be ' +
      "changed\n- tty: null\n+ tty: true\n",
  ]);
  expect(validateEphemeralContainersUpdate(old, debugged).map(formatFinding)).toEqual([
    'spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be ' +
      "removed\n",
  ]);
});

test("a resize changes cpu and memory of containers and nothing else", () => {
  const of = (resources: object) => ({
    spec: { containers: [{ name: "c", image: "x", resources }] },
  });
  const old = storedPod(of({ requests: { cpu: "1" }, limits: { memory: "1Gi" } }));
  const resize = (resources: object) => {
    const next = storedPod(of(resources));
    next.spec.hostname = "ignored";
    prepareForResize(next, old);
    return validatePodResize(next, old).map(formatFinding);
  };
  expect(resize({ requests: { cpu: "2", memory: "1Gi" }, limits: { memory: "2Gi" } })).toEqual([]);
  expect(resize({ requests: { memory: "1Gi" }, limits: { memory: "1Gi" } })).toEqual([
    "spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed",
  ]);
  const storage = { cpu: "1", "ephemeral-storage": "1Gi" };
  expect(resize({ requests: storage, limits: { memory: "1Gi" } })).toEqual([
    "spec: Forbidden: only cpu and memory resources are mutable",
  ]);
  const restarting = [{ resourceName: "cpu", restartPolicy: "RestartContainer" }];
  const kept = storedPod();
  const next = changed(kept, ({ spec }) => {
    for (const container of spec.containers ?? []) container.resizePolicy = restarting;
  });
  expect(validatePodResize(next, kept).map(formatFinding)).toEqual([
    "spec: Forbidden: only cpu and memory resources are mutable",
  ]);
  const exact = { cpu: "1", memory: "1Gi" };
  expect(resize({ requests: exact, limits: exact })).toEqual([
    'spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing',
  ]);
});

test("init containers and the pod as a whole can be resized", () => {
  const of = (requests: object, resources?: object) =>
    storedPod({
      spec: {
        initContainers: [{ name: "i", image: "x", resources: { requests } }],
        containers: [{ name: "c", image: "x", resources: { requests: { cpu: "1" } } }],
        ...(resources ? { resources } : {}),
      },
    });
  const resize = (next: ReturnType<typeof of>, old: ReturnType<typeof of>) => {
    prepareForResize(next, old);
    return validatePodResize(next, old).map(formatFinding);
  };
  const whole = { requests: { cpu: "4" } };
  expect(resize(of({ cpu: "2" }), of({ cpu: "1" }))).toEqual([]);
  expect(resize(of({ cpu: "1" }, whole), of({ cpu: "1" }))).toEqual([]);
  expect(resize(of({ cpu: "1", "ephemeral-storage": "1" }), of({ cpu: "1" }))).toEqual([
    "spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar " +
      "containers are mutable",
  ]);
  expect(resize(of({ cpu: "1" }), of({ cpu: "1" }, whole))).toEqual([
    "spec.resources: Forbidden: pod-level resources cannot be removed",
  ]);
  const old = of({ cpu: "1" });
  const next = of({ cpu: "2" });
  next.metadata.managedFields = [{ manager: "m" }];
  prepareForResize(next, old);
  expect(next.metadata.managedFields, "whose the change is stays").toEqual([{ manager: "m" }]);
});

test("a resize cannot add or rename containers", () => {
  const old = storedPod();
  const resize = (containers: object[]) => {
    const next = storedPod({ spec: { containers } });
    prepareForResize(next, old);
    return validatePodResize(next, old).map(formatFinding);
  };
  expect(resize([{ name: "d", image: "x" }])).toEqual([
    "spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize",
  ]);
  expect(
    resize([
      { name: "c", image: "x" },
      { name: "d", image: "x" },
    ]),
  ).toEqual(["spec.containers: Forbidden: containers may not be added or removed on resize"]);
});
