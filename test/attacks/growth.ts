/** Request bodies with one list or map that can be made arbitrarily long. */

export interface Growth {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly contentType?: string;
  readonly body: (size: number) => unknown;
}

const DEFAULT = "/api/v1/namespaces/default";
const MAPS = `${DEFAULT}/configmaps`;
const PODS = `${DEFAULT}/pods`;
/** This object exists before each request. */
const GROWN = `${MAPS}/grown`;

const many = <T>(size: number, make: (at: number) => T): T[] =>
  Array.from({ length: size }, (_, at) => make(at));
const keys = (size: number): { [key: string]: string } =>
  Object.fromEntries(many(size, (at) => [`k${at}`, "v"]));

function managedFields(size: number, operation: string): object[] {
  return many(size, (at) => ({
    manager: `m${at}`,
    operation,
    apiVersion: "v1",
    time: "2026-01-01T00:00:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": { ".": {}, [`f:m${at}`]: {} } },
  }));
}

const METADATA: readonly (readonly [string, (size: number) => object])[] = [
  ["managedFields of updaters", (size) => ({ managedFields: managedFields(size, "Update") })],
  ["managedFields of appliers", (size) => ({ managedFields: managedFields(size, "Apply") })],
  ["empty managedFields", (size) => ({ managedFields: many(size, () => ({})) })],
  ["labels", (size) => ({ labels: keys(size) })],
  ["annotations", (size) => ({ annotations: keys(size) })],
  ["finalizers", (size) => ({ finalizers: many(size, (at) => `example.com/f${at}`) })],
  [
    "ownerReferences",
    (size) => ({
      ownerReferences: many(size, (at) => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: `o${at}`,
        uid: `${at}`,
      })),
    }),
  ],
  ["unknown fields", (size) => keys(size)],
];

const WRITES: readonly (readonly [string, string, string | undefined])[] = [
  ["POST", MAPS, undefined],
  ["PUT", GROWN, undefined],
  ["PATCH", GROWN, "application/merge-patch+json"],
  ["PATCH", GROWN, "application/strategic-merge-patch+json"],
  ["PATCH", `${GROWN}?fieldManager=m&force=true`, "application/apply-patch+yaml"],
];

const ofMetadata: readonly Growth[] = WRITES.flatMap(([method, path, contentType]) =>
  METADATA.map(([name, metadata]) => ({
    name: `${name}, ${method} ${contentType ?? ""}`.trim(),
    method,
    path,
    ...(contentType !== undefined && { contentType }),
    body: (size: number) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: method === "POST" ? "new" : "grown", ...metadata(size) },
      data: keys(size),
    }),
  })),
);

function pod(spec: object, container: object = {}): object {
  const containers = [{ name: "c", image: "i", ...container }];
  return { metadata: { name: "new" }, spec: { containers, ...spec } };
}

const POD_PARTS: readonly (readonly [string, (size: number) => object])[] = [
  ["containers", (n) => pod({ containers: many(n, (at) => ({ name: `c${at}`, image: "i" })) })],
  ["equal containers", (n) => pod({ containers: many(n, () => ({ name: "c", image: "i" })) })],
  [
    "initContainers",
    (n) => pod({ initContainers: many(n, (at) => ({ name: `i${at}`, image: "i" })) }),
  ],
  ["env", (n) => pod({}, { env: many(n, (at) => ({ name: `E${at}`, value: "v" })) })],
  ["equal env", (n) => pod({}, { env: many(n, () => ({ name: "E", value: "v" })) })],
  ["ports", (n) => pod({}, { ports: many(n, (at) => ({ containerPort: 1 + (at % 60_000) })) })],
  ["volumes", (n) => pod({ volumes: many(n, (at) => ({ name: `v${at}`, emptyDir: {} })) })],
  [
    "volumeMounts",
    (n) =>
      pod(
        { volumes: many(n, (at) => ({ name: `v${at}`, emptyDir: {} })) },
        { volumeMounts: many(n, (at) => ({ name: `v${at}`, mountPath: `/m${at}` })) },
      ),
  ],
  ["tolerations", (n) => pod({ tolerations: many(n, (at) => ({ key: `k${at}` })) })],
  ["nodeSelector", (n) => pod({ nodeSelector: keys(n) })],
  ["hostAliases", (n) => pod({ hostAliases: many(n, () => ({ ip: "127.0.0.1" })) })],
  ["schedulingGates", (n) => pod({ schedulingGates: many(n, (at) => ({ name: `g${at}` })) })],
  ["imagePullSecrets", (n) => pod({ imagePullSecrets: many(n, (at) => ({ name: `s${at}` })) })],
  [
    "topologySpreadConstraints",
    (n) =>
      pod({
        topologySpreadConstraints: many(n, (at) => ({
          maxSkew: 1,
          topologyKey: `k${at}`,
          whenUnsatisfiable: "DoNotSchedule",
        })),
      }),
  ],
  [
    "resourceClaims",
    (n) => pod({ resourceClaims: many(n, (at) => ({ name: `r${at}`, resourceClaimName: "r" })) }),
  ],
  ["limits", (n) => pod({}, { resources: { limits: keys(n) } })],
];

const ofPods: readonly Growth[] = POD_PARTS.map(([name, body]) => ({
  name: `${name} of a pod`,
  method: "POST",
  path: PODS,
  body,
}));

const ofPatches: readonly Growth[] = [
  {
    name: "operations of a JSON patch",
    method: "PATCH",
    path: GROWN,
    contentType: "application/json-patch+json",
    body: (n) => many(n, (at) => ({ op: "add", path: `/data/k${at}`, value: "v" })),
  },
  {
    name: "containers of a strategic patch",
    method: "PATCH",
    path: `${PODS}/grown`,
    contentType: "application/strategic-merge-patch+json",
    body: (n) => ({ spec: { containers: many(n, (at) => ({ name: `c${at}`, image: "i" })) } }),
  },
  {
    name: "containers of an apply",
    method: "PATCH",
    path: `${PODS}/grown?fieldManager=m&force=true`,
    contentType: "application/apply-patch+yaml",
    body: (n) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "grown" },
      spec: { containers: many(n, (at) => ({ name: `c${at}`, image: "i" })) },
    }),
  },
];

const spec = (values: object): object => ({ metadata: { name: "new" }, spec: values });

const KIND_PARTS: readonly (readonly [string, string, (size: number) => object])[] = [
  [
    "ports of a Service",
    `${DEFAULT}/services`,
    (n) => spec({ ports: many(n, (at) => ({ name: `p${at}`, port: 1 + at, nodePort: at })) }),
  ],
  [
    "taints of a Node",
    "/api/v1/nodes",
    (n) => spec({ taints: many(n, (at) => ({ key: `k${at}`, effect: "NoExecute" })) }),
  ],
  [
    "addresses of a Node",
    "/api/v1/nodes",
    (n) => ({
      metadata: { name: "new" },
      status: { addresses: many(n, (at) => ({ type: "Hostname", address: `a${at}` })) },
    }),
  ],
  [
    "limits of a LimitRange",
    `${DEFAULT}/limitranges`,
    (n) => spec({ limits: many(n, (at) => ({ type: `example.com/t${at}` })) }),
  ],
  [
    "scopes and amounts of a ResourceQuota",
    `${DEFAULT}/resourcequotas`,
    (n) => spec({ scopes: many(n, (at) => `s${at}`), hard: keys(n) }),
  ],
  [
    "tolerations of a RuntimeClass",
    "/apis/node.k8s.io/v1/runtimeclasses",
    (n) => ({
      metadata: { name: "new" },
      handler: "h",
      scheduling: { tolerations: many(n, (at) => ({ key: `k${at}`, operator: "Exists" })) },
    }),
  ],
  [
    "families of a Service",
    `${DEFAULT}/services`,
    (n) => spec({ ports: [{ port: 1 }], ipFamilies: many(n, (at) => `f${at}`) }),
  ],
  [
    "topologies of a StorageClass",
    "/apis/storage.k8s.io/v1/storageclasses",
    (n) => ({
      metadata: { name: "new" },
      provisioner: "example.com/p",
      allowedTopologies: [
        {
          matchLabelExpressions: many(n, (at) => ({
            key: `k${at}`,
            values: at === 0 ? many(n, (value) => `v${value}`) : ["v"],
          })),
        },
      ],
    }),
  ],
  [
    "controllers among the ownerReferences",
    MAPS,
    (n) => ({
      metadata: {
        name: "new",
        ownerReferences: many(n, (at) => ({
          apiVersion: "v1",
          kind: "ConfigMap",
          name: `o${at}`,
          uid: `${at}`,
          controller: true,
        })),
      },
    }),
  ],
];

const ofKinds: readonly Growth[] = KIND_PARTS.map(([name, path, body]) => ({
  name,
  method: "POST",
  path,
  body,
}));

export const GROWTHS: readonly Growth[] = [...ofMetadata, ...ofPods, ...ofKinds, ...ofPatches];
