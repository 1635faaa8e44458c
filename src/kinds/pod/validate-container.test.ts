import { expect, test } from "vitest";
import { findingsInContainer, findingsInSpec } from "../../../test/builders/pod.ts";

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and " +
  "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used " +
  "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

test.each<[string, object, string[]]>([
  ["a container with a name and an image is valid", {}, []],
  ["a container needs a name", { name: "" }, ["name: Required value"]],
  ["a container's name is a label", { name: "A_B" }, [`name: Invalid value: "A_B": ${LABEL}`]],
  ["a container needs an image", { image: "" }, ["image: Required value"]],
  ["a template may have spaces around an image", { image: " x " }, []],
  [
    "a pull policy is one of three",
    { imagePullPolicy: "Often" },
    [
      'imagePullPolicy: Unsupported value: "Often": supported values: "Always", "IfNotPresent", ' +
        '"Never"',
    ],
  ],
  ["a port needs a number", { ports: [{ name: "a" }] }, ["ports[0].containerPort: Required value"]],
  [
    "ports have 16 bits and a known protocol",
    { ports: [{ containerPort: 65536, hostPort: -1, protocol: "ICMP" }] },
    [
      "ports[0].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive",
      "ports[0].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive",
      'ports[0].protocol: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
    ],
  ],
  [
    "a port's name has a letter and no hyphen at its ends",
    { ports: [{ containerPort: 1, name: "-1" }] },
    [
      'ports[0].name: Invalid value: "-1": must contain at least one letter (a-z)',
      'ports[0].name: Invalid value: "-1": must not begin or end with a hyphen',
    ],
  ],
  [
    "a host port can be used only once",
    {
      ports: [
        { containerPort: 1, hostPort: 9 },
        { containerPort: 2, hostPort: 9 },
      ],
    },
    ['ports[1].hostPort: Duplicate value: "TCP//9"'],
  ],
  [
    "a container's own restart policy does not prevent a resize by restart",
    { restartPolicy: "Never", resizePolicy: [{ resourceName: "cpu", restartPolicy: "X" }] },
    ['resizePolicy: Unsupported value: "X": supported values: "NotRequired", "RestartContainer"'],
  ],
  [
    "a container has twenty restart rules of 255 exit codes each",
    {
      restartPolicy: "Never",
      restartPolicyRules: Array.from({ length: 21 }, (_, at) => ({
        action: "Restart",
        exitCodes: { operator: "In", values: at === 0 ? Array(256).fill(1) : [1] },
      })),
    },
    [
      "restartPolicyRules: Too many: 21: must have at most 20 items",
      "restartPolicyRules[0].exitCodes.values: Too many: 256: must have at most 255 items",
    ],
  ],
  [
    "a resource has one resize policy, and only cpu and memory have any",
    {
      resizePolicy: [
        { resourceName: "cpu", restartPolicy: "NotRequired" },
        { resourceName: "cpu", restartPolicy: "NotRequired" },
        { resourceName: "gpu", restartPolicy: "NotRequired" },
      ],
    },
    [
      'resizePolicy[1]: Duplicate value: "cpu"',
      'resizePolicy: Unsupported value: "gpu": supported values: "cpu", "memory"',
    ],
  ],
])("%s", (_, fields, findings) => {
  expect(findingsInContainer({ ...fields })).toEqual(findings);
});

test.each<[string, object, string[]]>([
  [
    "rules without a policy are not validated",
    { restartPolicyRules: [{}] },
    ["restartPolicy: Required value: must specify restartPolicy when restart rules are used"],
  ],
  [
    "it cannot be resized by a restart",
    { resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] },
    [
      'resizePolicy[0].restartPolicy: Invalid value: "RestartContainer": must not be set to ' +
        "'RestartContainer' for non-sidecar initContainers",
    ],
  ],
  [
    "a sidecar can be resized by a restart",
    {
      restartPolicy: "Always",
      resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }],
    },
    [],
  ],
])("an init container: %s", (_, fields, findings) => {
  const containers = { initContainers: [{ name: "i", image: "x", ...fields }] };
  const prefixed = findings.map((finding) => `t.spec.initContainers[0].${finding}`);
  expect(findingsInSpec({ restartPolicy: "Always", ...containers })).toEqual(prefixed);
});

test("container names are unique among regular and init containers", () => {
  const container = { name: "c", image: "x" };
  const twice = { containers: [container, container], initContainers: [container] };
  expect(findingsInSpec(twice)).toEqual([
    't.spec.containers[1].name: Duplicate value: "c"',
    't.spec.initContainers[0].name: Duplicate value: "c"',
  ]);
});

test("an init container has probes and hooks only if it keeps running", () => {
  const probed = { name: "i", image: "x", startupProbe: { exec: { command: ["a"] } } };
  const detail = "may not be set for init containers without restartPolicy=Always";
  expect(findingsInSpec({ initContainers: [probed] })).toEqual([
    `t.spec.initContainers[0].startupProbe: Forbidden: ${detail}`,
  ]);
  expect(findingsInSpec({ initContainers: [{ ...probed, restartPolicy: "Always" }] })).toEqual([]);
});

test("an ephemeral container must not have service fields or be in a template", () => {
  const findings = findingsInSpec({
    ephemeralContainers: [
      {
        name: "e",
        image: "x ",
        targetContainerName: "nobody",
        ports: [{ containerPort: 1 }],
        resources: { limits: { cpu: "1" } },
        volumeMounts: [{ name: "v", mountPath: "/v", subPath: "s" }],
      },
    ],
    volumes: [{ name: "v" }],
  });
  const path = "t.spec.ephemeralContainers[0]";
  expect(findings).toEqual([
    `${path}.image: Invalid value: "x ": must not have leading or trailing whitespace`,
    `${path}.targetContainerName: Not found: "nobody"`,
    `${path}.ports: Forbidden: cannot be set for an Ephemeral Container`,
    `${path}.resources: Forbidden: cannot be set for an Ephemeral Container`,
    `${path}.volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container`,
    "t.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template",
  ]);
});
