import { expect, test } from "vitest";
import { type PodFields, storedPod } from "../../../test/builders/pod.ts";
import { formatFinding } from "../../api/finding.ts";
import { validatePodStatusUpdate } from "./validate-status.ts";

function report(status: object, before: object = {}, fields: PodFields = {}): string[] {
  const old = storedPod({ ...fields, status: { ...before } });
  const next = storedPod({ ...fields, status: { ...status } });
  return validatePodStatusUpdate(next, old).map(formatFinding);
}

test.each<[string, object, string[]]>([
  ["an unknown phase is accepted", { phase: "Dreaming" }, []],
  [
    "custom conditions need qualified names",
    {
      conditions: [
        { type: "Ready", status: "True" },
        { type: "b c", status: "True" },
      ],
    },
    [
      'status.conditions[1].Type: Invalid value: "b c": name part must consist of alphanumeric ' +
        "characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
        "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
        "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    "observedGeneration must not be negative",
    {
      observedGeneration: -1,
      conditions: [{ type: "Ready", status: "True", observedGeneration: -2 }],
    },
    [
      "status.conditions[0].observedGeneration: Invalid value: -2: must be a non-negative integer",
      "status.observedGeneration: Invalid value: -1: must be a non-negative integer",
    ],
  ],
  [
    "qosClass is immutable",
    { qosClass: "Guaranteed" },
    ['status.qosClass: Invalid value: "Guaranteed": field is immutable'],
  ],
  [
    "an invalid address has no family",
    { podIPs: [{ ip: "::1" }, { ip: "x" }] },
    [
      'status.podIPs[1]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or ' +
        "2001:db8::ffff)",
      "status.podIPs: Internal error: failed to check for dual stack with error:invalid IP[1]: x",
      'status.podIPs: Invalid value: [{"IP":"::1"},{"IP":"x"}]: may specify no more than one IP ' +
        "for each IP family",
    ],
  ],
  [
    "users of a container are users of Linux",
    { containerStatuses: [{ name: "c", state: {}, user: { linux: { uid: -1, gid: 0 } } }] },
    [
      "status.containerStatuses[0].user.linux.uid: Invalid value: -1: must be between 0 and " +
        "2147483647, inclusive",
    ],
  ],
  [
    "a claim for extended resources needs a mapping",
    { extendedResourceClaimStatus: { requestMappings: [], resourceClaimName: "" } },
    [
      "status.extendedResourceClaimStatus.requestMappings: Required value: at least one request " +
        "mapping is required",
      "status.extendedResourceClaimStatus.resourceClaimName: Required value",
    ],
  ],
  [
    "a claim for extended resources maps requested resources, each once",
    {
      extendedResourceClaimStatus: {
        resourceClaimName: "a",
        requestMappings: [
          { containerName: "c", resourceName: "x/y", requestName: "r" },
          { containerName: "d", resourceName: "x/y", requestName: "r" },
        ],
      },
    },
    [
      "status.extendedResourceClaimStatus.requestMappings[0].resourceName: Invalid value: " +
        '"x/y": must match the extended resource name of an entry in ' +
        "spec.initContainers.resources.requests or spec.containers.resources.requests",
      "status.extendedResourceClaimStatus.requestMappings[1].containerName: Invalid value: " +
        '"d": must match the name of an entry in spec.initContainers.name or spec.containers.name',
    ],
  ],
  ["a pod has an address of each family", { podIPs: [{ ip: "10.0.0.1" }, { ip: "::1" }] }, []],
  [
    "a pod has one address of a family",
    { podIPs: [{ ip: "10.0.0.1" }, { ip: "10.0.0.1" }] },
    [
      'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.1"}]: may specify no more ' +
        "than one IP for each IP family",
    ],
  ],
  [
    "hostIP must be the first of hostIPs",
    { hostIP: "10.0.0.1", hostIPs: [{ ip: "10.0.0.2" }] },
    ['status.hostIPs[0].ip: Invalid value: "10.0.0.2": must be equal to `hostIP`'],
  ],
  [
    "an allocated device must have been requested",
    {
      containerStatuses: [
        {
          name: "c",
          state: {},
          allocatedResourcesStatus: [
            { name: "example.com/gpu", resources: [{ resourceID: "1", health: "Sick" }] },
          ],
        },
      ],
    },
    [
      "status.containerStatuses[0].allocatedResourcesStatus[0].name: Invalid value: " +
        '"example.com/gpu": must match one of the container\'s resource requests',
      "status.containerStatuses[0].allocatedResourcesStatus[0].resources[0].health: Unsupported " +
        'value: "Sick": supported values: "Healthy", "Unhealthy", "Unknown"',
    ],
  ],
])("%s", (_, status, findings) => {
  expect(report(status)).toEqual(findings);
});

test("a pod is nominated for a node until it is bound to one", () => {
  const nominated = { nominatedNodeName: "n" };
  expect(report(nominated)).toEqual([]);
  const bound = { spec: { nodeName: "n" } };
  expect(report(nominated, nominated, bound)).toEqual([]);
  expect(report(nominated, {}, bound)).toEqual([
    "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node",
  ]);
});

const ended = (exitCode: number) => ({
  containerStatuses: [{ name: "c", state: { terminated: { exitCode } } }],
});
const running = { containerStatuses: [{ name: "c", state: { running: {} } }] };
const REFUSED = [
  "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state",
];

test.each<[string, object, number, string[]]>([
  ["always", { restartPolicy: "Always" }, 0, []],
  ["on failure, after a failure", { restartPolicy: "OnFailure" }, 1, []],
  ["on failure, after success", { restartPolicy: "OnFailure" }, 0, REFUSED],
  ["never", { restartPolicy: "Never" }, 1, REFUSED],
])("a container runs again: %s", (_, spec, exitCode, findings) => {
  expect(report(running, ended(exitCode), { spec: { ...spec } })).toEqual(findings);
});

test.each<[string, string, number, string[]]>([
  ["its own rule matches", "Restart", 42, []],
  ["no rule matches", "Restart", 1, REFUSED],
  ["all containers may be restarted", "RestartAllContainers", 1, []],
])("a container of a pod that never restarts runs again: %s", (_, action, exitCode, findings) => {
  const rules = [{ action, exitCodes: { operator: "In", values: [42] } }];
  const container = { name: "c", image: "x", restartPolicy: "Never", restartPolicyRules: rules };
  const spec = { restartPolicy: "Never", containers: [container] };
  expect(report(running, ended(exitCode), { spec })).toEqual(findings);
});

test("an address accepted before the rule became strict may stay", () => {
  const podIPs = [{ ip: "010.0.0.1" }];
  expect(report({ podIPs })).toEqual([
    'status.podIPs[0]: Invalid value: "010.0.0.1": must not have leading 0s',
  ]);
  expect(report({ podIPs }, { podIPs })).toEqual([]);
});
