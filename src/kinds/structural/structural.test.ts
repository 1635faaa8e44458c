import { expect, test } from "vitest";
import { created } from "../../../test/builders/created.ts";
import { formatFinding } from "../../api/finding.ts";
import type {
  LimitRange,
  PodTemplate,
  ReplicationController,
  ResourceQuota,
} from "../../api/generated/core.ts";
import type { Draft, Json } from "../../api/object.ts";
import { limitRangeKind } from "./limit-range.ts";
import { podTemplateKind } from "./pod-template.ts";
import { replicationControllerKind } from "./replication-controller.ts";
import { resourceQuotaKind } from "./resource-quota.ts";

type Fields = { [field: string]: Json };

function limitRange(limit: Fields): LimitRange {
  return created<LimitRange>(limitRangeKind, { spec: { limits: [limit] } });
}

test("a limit of a container defaults to the maximum, a request to the limit or minimum", () => {
  const limit = { type: "Container", max: { cpu: "1" }, min: { cpu: "0.1", memory: "1Mi" } };
  expect(limitRange(limit).spec.limits).toEqual([
    {
      type: "Container",
      max: { cpu: "1" },
      min: { cpu: "100m", memory: "1Mi" },
      default: { cpu: "1" },
      defaultRequest: { cpu: "1", memory: "1Mi" },
    },
  ]);
});

test.each<[Fields, string[]]>([
  [
    { type: "Container", default: { cpu: "2" }, defaultRequest: { cpu: "3" }, max: { cpu: "1" } },
    [
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "3": ' +
        "default request value 3 is greater than max value 1",
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "3": ' +
        "default request value 3 is greater than default limit value 2",
      'spec.limits[0].default[cpu]: Invalid value: "1": ' +
        "default value 2 is greater than max value 1",
    ],
  ],
  [
    { type: "Pod", min: { cpu: "1" }, max: { cpu: "2" }, maxLimitRequestRatio: { cpu: "3" } },
    [
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ' +
        "ratio 3 is greater than max/min = 2.000000",
    ],
  ],
  [
    { type: "PersistentVolumeClaim" },
    [
      "spec.limits[0].limits: Required value: " +
        "either minimum or maximum storage value is required, but neither was provided",
    ],
  ],
  [
    { type: "PersistentVolumeClaim", max: { storage: "1Gi", bananas: "1" } },
    [
      'spec.limits[0].max[bananas]: Invalid value: "bananas": ' +
        "must be a standard resource type or fully qualified",
    ],
  ],
])("the limit %j has the expected findings", (limit, expected) => {
  expect(limitRangeKind.rules.validate(limitRange(limit)).map(formatFinding)).toEqual(expected);
});

function scoped(expression: Fields): Fields {
  return { scopeSelector: { matchExpressions: [expression] } };
}

function quota(spec: Fields): ResourceQuota {
  return created<ResourceQuota>(resourceQuotaKind, { spec });
}

test.each<[Fields, string[]]>([
  [{ hard: { "count/jobs.batch": "2", "requests.nvidia.com/gpu": "1" } }, []],
  [
    { hard: { bananas: "1" } },
    [
      'spec.hard[bananas]: Invalid value: "bananas": ' +
        "must be a standard resource type or fully qualified",
      'spec.hard[bananas]: Invalid value: "bananas": must be a standard resource for quota',
    ],
  ],
  [
    { hard: { storage: "1" } },
    ['spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota'],
  ],
  [{ hard: { "hugepages-2Mi": "2Mi", "requests.hugepages-2Mi": "2Mi" } }, []],
  [
    scoped({ scopeName: "PriorityClass", operator: "In" }),
    [
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value " +
        "when `operator` is 'In' or 'NotIn' for scope selector",
    ],
  ],
  [
    scoped({ scopeName: "PriorityClass", operator: "Exists", values: ["a"] }),
    [
      'spec.scopeSelector.matchExpressions.values: Invalid value: ["a"]: must be no value ' +
        "when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
    ],
  ],
  [
    scoped({ scopeName: "Terminating", operator: "X" }),
    [
      "spec.scopeSelector.matchExpressions.operator: Invalid value: \"X\": must be 'Exists' when " +
        "scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, " +
        "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or " +
        "ResourceQuotaScopeCrossNamespacePodAffinity",
      'spec.scopeSelector.matchExpressions.operator: Invalid value: "X": ' +
        "not a valid selector operator",
    ],
  ],
  [
    { hard: { cpu: "1" }, ...scoped({ scopeName: "BestEffort", operator: "Exists" }) },
    [
      'spec.scopeSelector.matchExpressions: Invalid value: {"MatchExpressions":[{"ScopeName":' +
        '"BestEffort","Operator":"Exists","Values":null}]}: unsupported scope applied to resource',
    ],
  ],
  [
    { hard: { cpu: "1" }, scopes: ["BestEffort"] },
    ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
  ],
  [{ scopes: ["Sometimes"] }, ['spec.scopes: Invalid value: ["Sometimes"]: unsupported scope']],
])("the quota %j has the expected findings", (spec, expected) => {
  expect(resourceQuotaKind.rules.validate(quota(spec)).map(formatFinding)).toEqual(expected);
});

test("a row of a quota shows used and hard amounts, limits separately", () => {
  const made = {
    ...quota({}),
    status: { hard: { pods: "5", "limits.cpu": "2" }, used: { pods: "1" } },
  };
  expect(resourceQuotaKind.cells(made, new Date(0)).slice(1, 3)).toEqual([
    "pods: 1/5",
    "limits.cpu: 0/2",
  ]);
});

test("a ReplicationController takes its labels and its selector from its template", () => {
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c" }] } };
  const made = created<ReplicationController>(replicationControllerKind, { spec: { template } });
  expect(made.metadata.labels).toEqual({ a: "b" });
  expect(made.spec).toMatchObject({ replicas: 1, selector: { a: "b" } });
  const other = { ...made, spec: { ...made.spec, selector: { a: "c" } } };
  expect(replicationControllerKind.rules.validate(other).map(({ field }) => field)).toContain(
    "spec.template.metadata.labels",
  );
});

test("a limit range without a name gets a unique one", () => {
  const made = limitRange({ type: "Pod", max: { cpu: "1" } }) as Draft<LimitRange>;
  made.metadata = { uid: "u" };
  limitRangeKind.rules.prepareForCreate?.(made);
  expect(made.metadata.name).toBe("u");
});

test("the template of a PodTemplate is validated like a pod", () => {
  const findingsOf = (spec: Fields) => {
    const made = created<PodTemplate>(podTemplateKind, { template: { spec } });
    return podTemplateKind.rules.validate(made).map(formatFinding);
  };
  const containers = [{ name: "c", image: "x" }];
  expect(findingsOf({ containers, restartPolicy: "Never" })).toEqual([]);
  expect(findingsOf({})).toEqual(["template.spec.containers: Required value"]);
});
