/**
 * CustomResourceDefinitions like those of operators: certificates, alert rules, work queues. They
 * were written for these tests and resemble widely installed ones: deep schemas, embedded
 * resources, int-or-string fields, several versions, many rules.
 */

const string = (more: object = {}) => ({ type: "string", ...more });
const integer = (more: object = {}) => ({ type: "integer", format: "int32", ...more });
const list = (items: object, more: object = {}) => ({ type: "array", items, ...more });
const map = (values: object) => ({ type: "object", additionalProperties: values });
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

const quantity = {
  anyOf: [{ type: "integer" }, { type: "string" }],
  pattern:
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
  "x-kubernetes-int-or-string": true,
};

const conditions = list(
  object(
    {
      type: string({
        maxLength: 316,
        pattern:
          "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
      }),
      status: string({ enum: ["True", "False", "Unknown"] }),
      reason: string({ minLength: 1, maxLength: 1024 }),
      message: string({ maxLength: 32768 }),
      observedGeneration: { type: "integer", format: "int64", minimum: 0 },
      lastTransitionTime: string({ format: "date-time" }),
    },
    { required: ["type", "status"] },
  ),
  { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] },
);

const selector = object(
  {
    matchLabels: map(string()),
    matchExpressions: list(
      object(
        { key: string(), operator: string(), values: list(string()) },
        { required: ["key", "operator"] },
      ),
      { "x-kubernetes-list-type": "atomic" },
    ),
  },
  { "x-kubernetes-map-type": "atomic" },
);

interface Defined {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly scope?: string;
  readonly shortNames?: readonly string[];
  readonly versions: readonly object[];
  readonly annotations?: object;
  readonly conversion?: object;
}

function definition({
  group,
  plural,
  kind,
  scope = "Namespaced",
  shortNames = [],
  ...more
}: Defined) {
  const names = { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List`, shortNames };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}`, annotations: more.annotations ?? {} },
    spec: {
      group,
      names,
      scope,
      versions: more.versions,
      ...(more.conversion ? { conversion: more.conversion } : {}),
    },
    // Code generators leave this empty status behind.
    status: { acceptedNames: { kind: "", plural: "" }, conditions: [], storedVersions: [] },
  };
}

const served = (name: string, schema: object, more: object = {}) => ({
  name,
  served: true,
  storage: true,
  subresources: { status: {} },
  schema: { openAPIV3Schema: schema },
  ...more,
});

const resource = (spec: object, status: object = object({ conditions })) =>
  object(
    { apiVersion: string(), kind: string(), metadata: { type: "object" }, spec, status },
    { required: ["spec"] },
  );

const certificates = definition({
  group: "certs.example.io",
  plural: "certificates",
  kind: "Certificate",
  shortNames: ["cert", "certs"],
  versions: [
    served(
      "v1",
      resource(
        object(
          {
            secretName: string(),
            commonName: string(),
            dnsNames: list(string()),
            duration: string(),
            renewBefore: string(),
            issuerRef: object(
              { name: string(), kind: string(), group: string() },
              { required: ["name"] },
            ),
            privateKey: object({
              algorithm: string({ enum: ["RSA", "ECDSA", "Ed25519"] }),
              encoding: string({ enum: ["PKCS1", "PKCS8"] }),
              size: { type: "integer" },
            }),
            keystores: object({
              jks: object(
                {
                  create: { type: "boolean" },
                  passwordSecretRef: object(
                    { key: string(), name: string() },
                    { required: ["name"] },
                  ),
                },
                { required: ["create"] },
              ),
            }),
            usages: list(string({ enum: ["signing", "server auth", "client auth"] })),
            secretTemplate: object({ annotations: map(string()), labels: map(string()) }),
          },
          { required: ["secretName", "issuerRef"] },
        ),
        object({
          conditions,
          notAfter: string({ format: "date-time" }),
          revision: { type: "integer" },
        }),
      ),
      {
        additionalPrinterColumns: [
          {
            name: "Ready",
            type: "string",
            jsonPath: '.status.conditions[?(@.type=="Ready")].status',
          },
          { name: "Secret", type: "string", jsonPath: ".spec.secretName" },
          { name: "Issuer", type: "string", jsonPath: ".spec.issuerRef.name", priority: 1 },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
      },
    ),
  ],
});

const alertRules = definition({
  group: "monitoring.example.io",
  plural: "alertrules",
  kind: "AlertRule",
  shortNames: ["ar"],
  versions: [
    served(
      "v1",
      resource(
        object({
          groups: list(
            object(
              {
                name: string({ minLength: 1 }),
                interval: string({
                  pattern:
                    "^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$",
                }),
                limit: { type: "integer" },
                rules: list(
                  object(
                    {
                      alert: string(),
                      record: string(),
                      expr: {
                        anyOf: [{ type: "integer" }, { type: "string" }],
                        "x-kubernetes-int-or-string": true,
                      },
                      for: string(),
                      labels: map(string()),
                      annotations: map(string()),
                    },
                    { required: ["expr"] },
                  ),
                ),
              },
              { required: ["name"] },
            ),
            { "x-kubernetes-list-map-keys": ["name"], "x-kubernetes-list-type": "map" },
          ),
          podMetadata: object({
            labels: map(string()),
            annotations: map(string()),
            name: string(),
          }),
          resources: object({ limits: map(quantity), requests: map(quantity) }),
          storage: object({
            emptyDir: object({ sizeLimit: quantity }),
            volumeClaimTemplate: object({
              apiVersion: string(),
              kind: string(),
              metadata: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              spec: object({ accessModes: list(string()), selector }),
            }),
          }),
          template: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
          tolerations: list(
            object({
              key: string(),
              operator: string(),
              tolerationSeconds: { type: "integer", format: "int64" },
            }),
          ),
        }),
      ),
      {
        additionalPrinterColumns: [
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
      },
    ),
  ],
});

const queueName = string({
  maxLength: 253,
  pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
});

const clusterQueues = definition({
  group: "queue.x-k8s.io",
  plural: "clusterqueues",
  kind: "ClusterQueue",
  scope: "Cluster",
  shortNames: ["cq"],
  versions: [
    served(
      "v1beta1",
      resource(
        object(
          {
            cohort: queueName,
            queueingStrategy: string({
              default: "BestEffortFIFO",
              enum: ["StrictFIFO", "BestEffortFIFO"],
            }),
            stopPolicy: string({ default: "None", enum: ["None", "Hold", "HoldAndDrain"] }),
            namespaceSelector: { ...selector, nullable: true },
            preemption: object(
              {
                reclaimWithinCohort: string({
                  default: "Never",
                  enum: ["Never", "LowerPriority", "Any"],
                }),
                borrowWithinCohort: object({
                  policy: string({ default: "Never", enum: ["Never", "LowerPriority"] }),
                  maxPriorityThreshold: integer(),
                }),
              },
              {
                default: {},
                "x-kubernetes-validations": [
                  {
                    rule:
                      "!(self.reclaimWithinCohort == 'Never' && has(self.borrowWithinCohort) && " +
                      "self.borrowWithinCohort.policy != 'Never')",
                    message: "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never",
                  },
                ],
              },
            ),
            resourceGroups: list(
              object(
                {
                  coveredResources: list(string(), {
                    maxItems: 16,
                    minItems: 1,
                    "x-kubernetes-list-type": "atomic",
                  }),
                  flavors: list(
                    object(
                      {
                        name: queueName,
                        resources: list(
                          object(
                            { name: string(), nominalQuota: quantity, borrowingLimit: quantity },
                            { required: ["name", "nominalQuota"] },
                          ),
                          {
                            maxItems: 16,
                            minItems: 1,
                            "x-kubernetes-list-type": "map",
                            "x-kubernetes-list-map-keys": ["name"],
                          },
                        ),
                      },
                      { required: ["name", "resources"] },
                    ),
                    {
                      maxItems: 16,
                      minItems: 1,
                      "x-kubernetes-list-type": "map",
                      "x-kubernetes-list-map-keys": ["name"],
                    },
                  ),
                },
                {
                  required: ["coveredResources", "flavors"],
                  "x-kubernetes-validations": [
                    {
                      rule: "self.flavors.all(x, size(x.resources) == size(self.coveredResources))",
                      message:
                        "flavors must have the same number of resources as the coveredResources",
                    },
                    {
                      rule:
                        "self.flavors.all(f, f.resources.all(r, type(r.nominalQuota) == int || " +
                        "!r.nominalQuota.startsWith('-')))",
                      message: "quotas may not be negative",
                    },
                  ],
                },
              ),
              { maxItems: 16, "x-kubernetes-list-type": "atomic" },
            ),
          },
          {
            "x-kubernetes-validations": [
              {
                rule:
                  "!has(self.cohort) && has(self.resourceGroups) ? self.resourceGroups.all(rg, " +
                  "rg.flavors.all(f, f.resources.all(r, !has(r.borrowingLimit)))) : true",
                message: "borrowingLimit must be nil when cohort is empty",
              },
              {
                rule: "!has(oldSelf.cohort) || has(self.cohort)",
                message: "a cohort may not be left",
              },
            ],
          },
        ),
      ),
      {
        additionalPrinterColumns: [
          { name: "Cohort", type: "string", jsonPath: ".spec.cohort" },
          { name: "Pending Workloads", type: "integer", jsonPath: ".status.pendingWorkloads" },
        ],
      },
    ),
    served("v1alpha1", resource({ type: "object", "x-kubernetes-preserve-unknown-fields": true }), {
      served: false,
      storage: false,
      deprecated: true,
      deprecationWarning: "v1alpha1 is not served any more",
    }),
  ],
});

export const operatorDefinitions = [certificates, alertRules, clusterQueues];

export const certificate = {
  apiVersion: "certs.example.io/v1",
  kind: "Certificate",
  metadata: { name: "site" },
  spec: { secretName: "site-tls", issuerRef: { name: "ca" }, dnsNames: ["example.com"] },
};

export const alertRule = {
  apiVersion: "monitoring.example.io/v1",
  kind: "AlertRule",
  metadata: { name: "disk" },
  spec: {
    groups: [
      { name: "disk", interval: "30s", rules: [{ alert: "Full", expr: "free < 1", for: "5m" }] },
    ],
    resources: { limits: { memory: "1Gi", cpu: 2 } },
    template: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { any: ["thing"] } },
  },
};

export const clusterQueue = {
  apiVersion: "queue.x-k8s.io/v1beta1",
  kind: "ClusterQueue",
  metadata: { name: "main" },
  spec: {
    namespaceSelector: {},
    resourceGroups: [
      {
        coveredResources: ["cpu"],
        flavors: [{ name: "default", resources: [{ name: "cpu", nominalQuota: 9 }] }],
      },
    ],
  },
};
