import { expect, test } from "vitest";
import { type PodFields, writtenPod } from "../../../test/builders/pod.ts";
import { setPodDefaults } from "./defaults.ts";
import { podTemplateWarnings, podWarnings } from "./warnings.ts";

function warnings(fields: PodFields): string[] {
  const pod = writtenPod(fields);
  setPodDefaults(pod);
  return podWarnings(pod);
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
const zone = "failure-domain.beta.kubernetes.io/zone";
const ZONE = 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead';

test.each<[string, PodFields, string[]]>([
  ["an ordinary pod", {}, []],
  [
    "a name that is not a valid hostname",
    { metadata: { name: "a.b" } },
    [
      "metadata.name: this is used in the Pod's hostname, which can result in surprising " +
        "behavior; a DNS label is recommended: [must not contain dots]",
    ],
  ],
  [
    "deprecated node labels",
    {
      spec: {
        nodeSelector: { [zone]: "a" },
        affinity: {
          nodeAffinity: {
            [required]: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: "Exists" }] }],
            },
          },
        },
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "DoNotSchedule" },
        ],
      },
    },
    [
      `spec.nodeSelector[${zone}]: ${ZONE}`,
      `spec.affinity.nodeAffinity.${required}.nodeSelectorTerms[0].matchExpressions[0].key: ` +
        `${zone} is ${ZONE}`,
      `spec.topologySpreadConstraints[0].topologyKey: ${zone} is ${ZONE}`,
      "spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching " +
        "no pod",
    ],
  ],
  [
    "an affinity to no pod",
    {
      spec: {
        affinity: {
          podAntiAffinity: { [preferred]: [{ weight: 1, podAffinityTerm: { topologyKey: "z" } }] },
        },
      },
    },
    [
      `spec.affinity.podAntiAffinity.${preferred}[0].podAffinityTerm.labelSelector: a null ` +
        "labelSelector results in matching no pod",
    ],
  ],
  [
    "annotations without effect",
    {
      metadata: {
        annotations: {
          "scheduler.alpha.kubernetes.io/critical-pod": "",
          "seccomp.security.alpha.kubernetes.io/pod": "runtime/default",
        },
      },
    },
    [
      "metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in " +
        'v1.16+; use the "priorityClassName" field instead',
      "metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; " +
        'use the "seccompProfile" field instead',
    ],
  ],
  [
    "files that hide each other",
    {
      spec: {
        volumes: [
          {
            name: "v",
            projected: {
              sources: [
                { configMap: { name: "c", items: [{ key: "k", path: "a" }] } },
                { serviceAccountToken: { path: "a/b" } },
                {},
              ],
            },
          },
        ],
      },
    },
    [
      'volume "v" (Projected): overlapping paths: "a/b" (ServiceAccountToken) with "a" ' +
        '(ConfigMap "c")',
      'volume "v" (Projected) has no sources provided',
    ],
  ],
  [
    "duplicate names",
    {
      spec: {
        hostAliases: [{ ip: "1.1.1.1" }, { ip: "1.1.1.1" }],
        imagePullSecrets: [{ name: "a" }, { name: "a" }, {}],
      },
    },
    [
      'spec.hostAliases[1].ip: duplicate ip "1.1.1.1"',
      'spec.imagePullSecrets[1].name: duplicate name "a"',
      'spec.imagePullSecrets[2].name: invalid empty name ""',
    ],
  ],
  [
    "a variable that hides another, unless it refers to it",
    {
      spec: {
        containers: [
          {
            name: "c",
            image: "x",
            env: [
              { name: "A", value: "1" },
              { name: "A", value: "$(A)2" },
              { name: "A", value: "$(A)" },
            ],
          },
        ],
      },
    },
    [
      'spec.containers[0].env[2]: hides previous definition of "A", which may be dropped when ' +
        "using apply",
    ],
  ],
  [
    "conflicting ports",
    {
      spec: {
        containers: [
          {
            name: "c",
            image: "x",
            ports: [
              { name: "a", containerPort: 1, hostIP: "127.0.0.1" },
              { containerPort: 1, hostPort: 9 },
              { containerPort: 1, hostPort: 9, hostIP: "127.0.0.1" },
            ],
          },
          { name: "d", image: "x", ports: [{ name: "a", containerPort: 2 }] },
        ],
      },
    },
    [
      "spec.containers[0].ports[0]: hostIP set without hostPort: {Name:a HostPort:0 " +
        "ContainerPort:1 Protocol:TCP HostIP:127.0.0.1}",
      "spec.containers[0].ports[1]: overlapping port definition with spec.containers[0].ports[0]",
      "spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[0]",
      "spec.containers[0].ports[2]: dangerously ambiguous port definition with " +
        "spec.containers[0].ports[1]",
      'spec.containers[1].ports[0]: duplicate port name "a" with spec.containers[0].ports[0], ' +
        "services and probes that select ports by name will use spec.containers[0].ports[0]",
    ],
  ],
  [
    "fractional bytes",
    {
      spec: {
        containers: [{ name: "c", image: "x", resources: { requests: { memory: "1500m" } } }],
      },
    },
    [
      'spec.containers[0].resources.requests[memory]: fractional byte value "1500m" is invalid, ' +
        "must be an integer",
    ],
  ],
  [
    "addresses that are not canonical",
    {
      spec: {
        dnsConfig: { nameservers: ["010.0.0.1", "::ffff:1.2.3.4"] },
        hostAliases: [{ ip: "2001:DB8:0:0:0:0:0:1" }],
      },
    },
    [
      'spec.dnsConfig.nameservers[0]: non-standard IP address "010.0.0.1" will be considered ' +
        'invalid in a future Kubernetes release: use "10.0.0.1"',
      'spec.dnsConfig.nameservers[1]: non-standard IP address "::ffff:1.2.3.4" will be ' +
        'considered invalid in a future Kubernetes release: use "1.2.3.4"',
      'spec.hostAliases[0].ip: IPv6 address "2001:DB8:0:0:0:0:0:1" should be in RFC 5952 ' +
        'canonical format ("2001:db8::1")',
    ],
  ],
])("%s", (_, fields, expected) => {
  expect(warnings(fields)).toEqual(expected);
});

test("only a template can keep an AppArmor annotation without a field", () => {
  const key = "container.apparmor.security.beta.kubernetes.io/c";
  const template = writtenPod({ metadata: { annotations: { [key]: "unconfined" } } });
  const warning =
    `spec.template.metadata.annotations[${key}]: deprecated since v1.30; use the ` +
    '"appArmorProfile" field instead';
  expect(podTemplateWarnings(template, "spec.template")).toEqual([warning]);
  expect(podWarnings(template)).toEqual([]);
});
