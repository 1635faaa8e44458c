import { expect, test } from "vitest";
import { findingsInContainer, findingsInSpec } from "../../../test/builders/pod.ts";

function findings(spec: object): string[] {
  return findingsInSpec({ ...spec }).map((text) => text.replace(/^t\.spec\./, ""));
}

const NAME_PART =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " +
  "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

test.each<[string, object, string[]]>([
  [
    "without a policy for DNS there must be a name server",
    { dnsPolicy: "None" },
    ["dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None"],
  ],
  [
    "an empty dnsConfig is not sufficient",
    { dnsPolicy: "None", dnsConfig: { searches: ["a"] } },
    [
      "dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when " +
        "`dnsPolicy` is None",
    ],
  ],
  [
    "label keys are only checked together with a selector",
    {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "z",
          whenUnsatisfiable: "DoNotSchedule",
          matchLabelKeys: ["a b"],
        },
      ],
    },
    [
      "topologySpreadConstraints[0].matchLabelKeys: Forbidden: must not be specified when " +
        "labelSelector is not set",
    ],
  ],
  [
    "a claim of the whole pod",
    {
      resourceClaims: [{ name: "a", resourceClaimName: "x" }],
      resources: { claims: [{ name: "a" }] },
    },
    ["resources.claims: Forbidden: claims may not be set for Resources at pod-level"],
  ],
  [
    "search paths may end in a dot and have underscores",
    { dnsConfig: { searches: [".", "_a.b_c."] } },
    [],
  ],
  [
    "a toleration without a key needs operator Exists",
    { tolerations: [{ effect: "Never" }, { key: "k", operator: "Exists", value: "v" }] },
    [
      'tolerations[0].operator: Invalid value: "": operator must be Exists when `key` is empty, ' +
        'which means "match all values and all keys"',
      'tolerations[0].effect: Unsupported value: "Never": supported values: "NoSchedule", ' +
        '"PreferNoSchedule", "NoExecute"',
      'tolerations[1].operator: Invalid value: "v": value must be empty when `operator` is ' +
        "'Exists'",
    ],
  ],
  [
    "tolerationSeconds needs effect NoExecute",
    { tolerations: [{ key: "k", operator: "Like", tolerationSeconds: 1 }] },
    [
      "tolerations[0].effect: Invalid value: \"\": effect must be 'NoExecute' when " +
        "`tolerationSeconds` is set",
      'tolerations[0].operator: Unsupported value: "Like": supported values: "Equal", "Exists"',
    ],
  ],
  [
    "comparison operators of tolerations are not supported, but named in the message",
    { tolerations: [{ key: "k", operator: "Gt", value: "5" }] },
    [
      'tolerations[0].operator: Unsupported value: "Gt": supported values: "Equal", "Exists", ' +
        '"Lt", "Gt"',
    ],
  ],
  [
    "seLinuxChangePolicy must be Recursive",
    { securityContext: { seLinuxChangePolicy: "MountOption" } },
    [
      'securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: ' +
        '"Recursive"',
    ],
  ],
  [
    "a claim is a claim or a template of claims",
    {
      resourceClaims: [
        { name: "a" },
        { name: "a", resourceClaimName: "x", resourceClaimTemplateName: "y" },
      ],
    },
    [
      'resourceClaims[0]: Invalid value: {"Name":"a","ResourceClaimName":null,' +
        '"ResourceClaimTemplateName":null}: must specify one of: `resourceClaimName`, ' +
        "`resourceClaimTemplateName`",
      'resourceClaims[1].name: Duplicate value: "a"',
      'resourceClaims[1]: Invalid value: {"Name":"a","ResourceClaimName":"x",' +
        '"ResourceClaimTemplateName":"y"}: at most one of `resourceClaimName` or ' +
        "`resourceClaimTemplateName` may be specified",
    ],
  ],
  [
    "hostUsers false excludes host namespaces",
    { hostUsers: false, hostNetwork: true, hostPID: true },
    [
      "hostNetwork: Forbidden: when `hostUsers` is false",
      "HostPID: Forbidden: when `hostUsers` is false",
    ],
  ],
  [
    "hostUsers false excludes raw devices",
    {
      hostUsers: false,
      volumes: [{ name: "v", persistentVolumeClaim: { claimName: "v" } }],
      containers: [{ name: "c", image: "x", volumeDevices: [{ name: "v", devicePath: "/d" }] }],
    },
    ["containers[0].volumeDevices: Forbidden: when `hostUsers` is false"],
  ],
  [
    "two missing names count as duplicates",
    {
      containers: [
        { name: "", image: "x" },
        { name: "", image: "x" },
      ],
    },
    [
      "containers[0].name: Required value",
      "containers[1].name: Required value",
      'containers[1].name: Duplicate value: ""',
    ],
  ],
  [
    "init containers without a name are not compared with each other",
    {
      initContainers: [
        { name: "", image: "x" },
        { name: "", image: "x" },
      ],
    },
    ["initContainers[0].name: Required value", "initContainers[1].name: Required value"],
  ],
  [
    "sysctls of a shared host namespace are not allowed",
    {
      hostNetwork: true,
      securityContext: {
        sysctls: [
          { name: "net/core/somaxconn", value: "1" },
          { name: "kernel.sem", value: "1" },
          { name: "kernel.sem", value: "2" },
        ],
      },
    },
    [
      'securityContext.sysctls[0].name: Invalid value: "net/core/somaxconn": may not be ' +
        "specified when 'hostNetwork' is true",
      'securityContext.sysctls[2].name: Duplicate value: "kernel.sem"',
    ],
  ],
  [
    "overhead is an amount of resources",
    { overhead: { widgets: "1" } },
    [
      'overhead.limits[widgets]: Invalid value: "widgets": must be a standard resource type or ' +
        "fully qualified",
      'overhead.limits[widgets]: Invalid value: "widgets": must be a standard resource for ' +
        "containers",
    ],
  ],
  [
    "a Windows pod must not have Linux fields",
    {
      os: { name: "windows" },
      hostIPC: true,
      securityContext: { sysctls: [{ name: "a", value: "b" }] },
      containers: [{ name: "c", image: "x", securityContext: { runAsUser: 1 } }],
    },
    [
      "hostIPC: Forbidden: cannot be set for a windows pod",
      "securityContext.sysctls: Forbidden: cannot be set for a windows pod",
      "containers[0].securityContext.runAsUser: Forbidden: cannot be set for a windows pod",
    ],
  ],
  [
    "a Linux pod has no Windows options",
    { os: { name: "linux" }, securityContext: { windowsOptions: { runAsUserName: "a\\b\\c" } } },
    [
      'securityContext.windowsOptions.runAsUserName: Invalid value: "a\\\\b\\\\c": runAsUserName ' +
        "cannot contain more than one backslash",
      "securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod",
    ],
  ],
  [
    "either all containers are host processes or none",
    {
      securityContext: { windowsOptions: { hostProcess: true } },
      containers: [
        { name: "a", image: "x" },
        { name: "b", image: "x", securityContext: { windowsOptions: { hostProcess: false } } },
      ],
    },
    [
      "containers[1].securityContext.windowsOptions.hostProcess: Invalid value: false: pod " +
        "hostProcess value must be identical if both are specified, was true",
      't.spec: Invalid value: "": If pod contains any hostProcess containers then all containers ' +
        "must be HostProcess containers",
      "hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any " +
        "hostProcess containers",
      "t.spec: Forbidden: hostProcess containers are disallowed by cluster policy",
    ],
  ],
])("%s", (_, spec, expected) => {
  expect(findings(spec)).toEqual(expected);
});

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

test("a required node affinity must be satisfiable", () => {
  const nodeAffinity = {
    [required]: {
      nodeSelectorTerms: [
        {
          matchExpressions: [
            { key: "a", operator: "In" },
            { key: "b c", operator: "Exists" },
            { key: "d", operator: "Gt", values: ["1", "2"] },
            { key: "e", operator: "In", values: ["not valid!"] },
          ],
          matchFields: [{ key: "metadata.uid", operator: "Exists" }],
        },
      ],
    },
    [preferred]: [
      {
        weight: 0,
        preference: { matchExpressions: [{ key: "e", operator: "In", values: ["not valid!"] }] },
      },
    ],
  };
  const term = `affinity.nodeAffinity.${required}.nodeSelectorTerms[0]`;
  expect(findings({ affinity: { nodeAffinity } })).toEqual([
    `${term}.matchExpressions[0].values: Required value: must be specified when \`operator\` is ` +
      "'In' or 'NotIn'",
    `${term}.matchExpressions[1].key: Invalid value: "b c": ${NAME_PART}`,
    `${term}.matchExpressions[2].values: Required value: must be specified single value when ` +
      "`operator` is 'Lt' or 'Gt'",
    `${term}.matchExpressions[3].values[0]: Invalid value: "not valid!": a valid label must be ` +
      "an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start " +
      "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', " +
      "regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    `${term}.matchFields[0].operator: Invalid value: "Exists": not a valid selector operator`,
    `${term}.matchFields[0].key: Invalid value: "metadata.uid": not a valid field selector key`,
    `affinity.nodeAffinity.${preferred}[0].weight: Invalid value: 0: must be in the range 1-100`,
  ]);
  expect(findings({ affinity: { nodeAffinity: { [required]: {} } } })).toEqual([
    `affinity.nodeAffinity.${required}.nodeSelectorTerms: Required value: must have at least one ` +
      "node selector term",
  ]);
});

test("label keys need a selector and must not be ambiguous", () => {
  const term = { topologyKey: "zone", matchLabelKeys: ["a"], mismatchLabelKeys: ["a"] };
  const path = `affinity.podAntiAffinity.${required}[0]`;
  const spec = (labelSelector?: object) => ({
    affinity: { podAntiAffinity: { [required]: [{ ...term, labelSelector }] } },
  });
  const both =
    `${path}.matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and ` +
    "mismatchLabelKeys";
  const missing = "Forbidden: must not be specified when labelSelector is not set";
  expect(findings(spec())).toEqual([
    `${path}.matchLabelKeys: ${missing}`,
    `${path}.mismatchLabelKeys: ${missing}`,
    both,
  ]);
  expect(findings(spec({ matchLabels: { b: "c" } }))).toEqual([both]);
});

test.each<[string, object, string[]]>([
  [
    "a request must not exceed its limit",
    { requests: { cpu: "2", memory: "1Gi" }, limits: { cpu: "1500m", memory: "1073741824" } },
    ['requests: Invalid value: "2": must be less than or equal to cpu limit of 1500m'],
  ],
  [
    "a resource that cannot be overcommitted needs a limit",
    { requests: { "example.com/gpu": "1" } },
    ["limits: Required value: Limit must be set for non overcommitable resources"],
  ],
  [
    "huge pages must be whole pages, and need cpu or memory",
    { limits: { "hugepages-2Mi": "3Mi" }, requests: { "hugepages-2Mi": "3Mi" } },
    [
      'limits[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of ' +
        "hugepages-2Mi",
      'requests[hugepages-2Mi]: Invalid value: "3Mi": 3Mi is not positive integer multiple of ' +
        "hugepages-2Mi",
      "t.spec.containers[0].resources: Forbidden: HugePages require cpu or memory",
    ],
  ],
  [
    "amounts are not negative",
    { limits: { memory: "-1" } },
    ['limits[memory]: Invalid value: "-1": must be greater than or equal to 0'],
  ],
  [
    "a claim must be one of the pod's, and be used once",
    { claims: [{ name: "a" }, { name: "a" }, { name: "b" }, { name: "" }] },
    [
      'claims[1]: Duplicate value: "a"',
      'claims[2]: Not found: "b": must be one of the names in pod.spec.resourceClaims: a',
      "claims[3]: Required value",
    ],
  ],
])("resources: %s", (_, resources, expected) => {
  const pod = { resourceClaims: [{ name: "a", resourceClaimName: "x" }] };
  const found = findingsInContainer({ resources }, pod);
  const stripped = found.map((text) =>
    text.startsWith("resources.") ? text.slice("resources.".length) : text,
  );
  const path = "t.spec.containers[0].resources: ";
  expect(stripped).toEqual(
    expected.map((text) =>
      text.startsWith(path) ? `resources: ${text.slice(path.length)}` : text,
    ),
  );
});

test("the resources of containers must fit into those of their pod", () => {
  const spec = {
    containers: [
      { name: "a", image: "x", resources: { requests: { cpu: "1" }, limits: { cpu: "3" } } },
      { name: "b", image: "x", resources: { requests: { cpu: "1500m" } } },
    ],
    resources: { requests: { cpu: "2" }, limits: { cpu: "2", "example.com/gpu": "1" } },
  };
  expect(findings(spec)).toEqual([
    'resources.limits[example.com/gpu]: Unsupported value: "example.com/gpu": supported values: ' +
      '"cpu", "hugepages-", "memory"',
    'resources.requests[cpu]: Invalid value: "2": must be greater than or equal to aggregate ' +
      "container requests of 2500m",
    'resources.containers[0][cpu].limits: Invalid value: "3": must be less than or equal to pod ' +
      "limits of 2",
  ]);
});

test.each<[string, object, string[]]>([
  [
    "privileges imply escalation",
    { allowPrivilegeEscalation: false, capabilities: { add: ["CAP_SYS_ADMIN"] } },
    [
      'securityContext: Invalid value: {"Capabilities":{"Add":["CAP_SYS_ADMIN"],"Drop":null},' +
        '"Privileged":null,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,' +
        '"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,' +
        '"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,' +
        '"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and ' +
        "`capabilities.Add` CAP_SYS_ADMIN",
    ],
  ],
  [
    "an unmasked /proc needs hostUsers false",
    { procMount: "Unmasked" },
    [
      'securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use ' +
        "`Unmasked`",
    ],
  ],
  [
    "localhostProfile is only allowed with type Localhost",
    {
      seccompProfile: { type: "Unconfined", localhostProfile: "x" },
      appArmorProfile: { type: "Localhost", localhostProfile: " p" },
    },
    [
      'securityContext.seccompProfile.localhostProfile: Invalid value: {"Type":"Unconfined",' +
        '"LocalhostProfile":"x"}: can only be set when seccomp type is Localhost',
      'securityContext.appArmorProfile.localhostProfile: Invalid value: " p": must not be padded ' +
        "with whitespace",
    ],
  ],
])("security: %s", (_, securityContext, expected) => {
  expect(findingsInContainer({ securityContext })).toEqual(expected);
});
