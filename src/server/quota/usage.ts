/**
 * Pure: the amounts that an object uses of the quotas of its namespace, by quota names. Implements
 * all of Kubernetes' evaluators: pods, claims, Services, and object counts.
 */
import type { PersistentVolumeClaim, Pod, Service } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import { getQuantity, type Quantity } from "../../api/quantity.ts";
import { hasPodLevelResources } from "../../kinds/pod/qos.ts";
import { isExtendedResource, isHugePages } from "../../kinds/pod/resource-names.ts";
import { aggregateResources, type ResourceList } from "../../kinds/pod/resources.ts";
import { type Amounts, addAmounts, whole } from "./amounts.ts";

const STORAGE_CLASS = ".storageclass.storage.k8s.io/";
const CLAIM_NAMES = new Set(["persistentvolumeclaims", "requests.storage"]);
const SERVICE_NAMES = new Set(["services", "services.nodeports", "services.loadbalancers"]);
const COUNTED = new Set(["configmaps", "secrets", "replicationcontrollers", "resourcequotas"]);
const COUNT = "count/";

/** The resource that a quota name is about, for example "jobs.batch". */
export function resourceOfName(name: string): string {
  if (name.startsWith(COUNT)) return name.slice(COUNT.length);
  if (SERVICE_NAMES.has(name)) return "services";
  if (CLAIM_NAMES.has(name) || name.includes(STORAGE_CLASS)) return "persistentvolumeclaims";
  return COUNTED.has(name) ? name : "pods";
}

export function usageOf(resource: string, object: KubeObject): Amounts {
  const counted: Amounts = new Map([[`${COUNT}${resource}`, whole(1)]]);
  switch (resource) {
    case "pods":
      return addAmounts(counted, podUsage(object as Pod));
    case "persistentvolumeclaims":
      return addAmounts(counted, claimUsage(object as PersistentVolumeClaim));
    case "services":
      return addAmounts(counted, serviceUsage(object as Service));
    default:
      return COUNTED.has(resource) ? addAmounts(counted, new Map([[resource, whole(1)]])) : counted;
  }
}

/** A pod that has ended uses only its object count. */
function podUsage({ spec, status }: Pod): Amounts {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return new Map();
  return computeUsage(podAmounts(spec, "requests"), podAmounts(spec, "limits"));
}

function podAmounts(spec: Pod["spec"], of: "requests" | "limits"): Map<string, Quantity> {
  const own = hasPodLevelResources(spec) ? spec.resources?.[of] : {};
  const together = { ...aggregateResources(spec, of), ...own };
  const amounts = parse(together);
  for (const [name, amount] of parse(spec.overhead ?? {})) {
    const before = amounts.get(name);
    // Without a limit the pod stays unlimited.
    if (of === "limits" && !before) continue;
    const nanos = (before?.nanos ?? 0n) + amount.nanos;
    amounts.set(name, { nanos, format: (before ?? amount).format });
  }
  return amounts;
}

function parse(list: ResourceList): Map<string, Quantity> {
  return new Map(Object.entries(list).map(([name, text]) => [name, getQuantity(text)]));
}

const COMPUTE = ["cpu", "memory", "ephemeral-storage"];

function computeUsage(
  requests: ReadonlyMap<string, Quantity>,
  limits: ReadonlyMap<string, Quantity>,
): Amounts {
  const usage = new Map<string, Quantity>([["pods", whole(1)]]);
  for (const [name, amount] of requests) {
    const isPlain = COMPUTE.includes(name) || isHugePages(name);
    if (isPlain) usage.set(name, amount);
    if (isPlain || isExtendedResource(name)) usage.set(`requests.${name}`, amount);
  }
  for (const name of COMPUTE) {
    const limit = limits.get(name);
    if (limit) usage.set(`limits.${name}`, limit);
  }
  return usage;
}

function claimUsage({ spec }: PersistentVolumeClaim): Amounts {
  const usage = new Map<string, Quantity>([["persistentvolumeclaims", whole(1)]]);
  const storage = spec.resources?.requests?.["storage"];
  const storageClass = spec.storageClassName;
  const ofClass = (what: string) => `${storageClass}${STORAGE_CLASS}${what}`;
  if (storageClass) usage.set(ofClass("persistentvolumeclaims"), whole(1));
  if (storage === undefined) return usage;
  usage.set("requests.storage", getQuantity(storage));
  if (storageClass) usage.set(ofClass("requests.storage"), getQuantity(storage));
  return usage;
}

function serviceUsage({ spec }: Service): Amounts {
  const ports = whole(spec.ports?.length ?? 0);
  const usage = new Map<string, Quantity>([
    ["services", whole(1)],
    ["services.nodeports", whole(0)],
    ["services.loadbalancers", whole(0)],
  ]);
  if (spec.type === "NodePort") usage.set("services.nodeports", ports);
  if (spec.type === "LoadBalancer") {
    usage.set("services.loadbalancers", whole(1));
    if (spec.allocateLoadBalancerNodePorts !== false) usage.set("services.nodeports", ports);
  }
  return usage;
}

/** If a quota has one of these names, every container must specify it. */
const MUST_SAY = new Set([
  "cpu",
  "memory",
  "requests.cpu",
  "requests.memory",
  "limits.cpu",
  "limits.memory",
]);

/** The requests or limits that a quota requires and the pod lacks; undefined if none is missing. */
export function unsaid({ spec }: Pod, names: Iterable<string>): string | undefined {
  const demanded = [...names].filter((name) => MUST_SAY.has(name));
  if (demanded.length === 0) return undefined;
  const whole = hasPodLevelResources(spec) ? saidBy(spec.resources) : new Set<string>();
  const missing = new Map<string, string[]>();
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const said = saidBy(container.resources);
    for (const name of demanded) {
      if (said.has(name) || whole.has(name)) continue;
      missing.set(name, [...(missing.get(name) ?? []), container.name]);
    }
  }
  if (missing.size === 0) return undefined;
  const parts = [...missing]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, containers]) => `${name} for: ${[...new Set(containers)].sort().join(",")}`);
  return `must specify ${parts.join("; ")}`;
}

interface Said {
  readonly requests?: ResourceList;
  readonly limits?: ResourceList;
}

function saidBy({ requests = {}, limits = {} }: Said = {}): Set<string> {
  return new Set(computeUsage(parse(requests), parse(limits)).keys());
}
