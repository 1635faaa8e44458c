/** Applies the defaults of the LimitRanges of a namespace to pods, and enforces their limits. */
import type {
  Container,
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  Pod,
} from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { aggregateResources, type ResourceList } from "../../kinds/pod/resources.ts";
import { type Constraint, constraintProblems } from "./limit-constraints.ts";
import { type AdmissionRequest, isAbout, refuse, type StoreView } from "./plugin.ts";

const LISTS = [
  { list: "containers", what: "container" },
  { list: "initContainers", what: "init container" },
] as const;
const ANNOTATION = "kubernetes.io/limit-ranger";

export function limitRanger(request: AdmissionRequest, store: StoreView): void {
  const isPod = isAbout(request, "Pod");
  if (!isPod && !isAbout(request, "PersistentVolumeClaim")) return;
  if (!mayGrow(request, isPod)) return;
  const { items } = store.list("limitranges", { namespace: request.namespace });
  const ranges = items as readonly LimitRange[];
  if (isPod && request.operation === "create")
    for (const range of ranges) setDefaults(request.object as unknown as Draft<Pod>, range);
  for (const range of ranges) {
    const problems = (range.spec.limits ?? []).flatMap((item) => itemProblems(request, item));
    if (problems.length > 0) throw refuse(request, aggregate(problems));
  }
}

/** A claim can grow in an update, a pod only when it is resized. */
function mayGrow({ operation, part }: AdmissionRequest, isPod: boolean): boolean {
  if (operation === "create") return true;
  return operation === "update" && part === (isPod ? "resize" : undefined);
}

function setDefaults(pod: Draft<Pod>, { spec }: LimitRange): void {
  const items = (spec.limits ?? []).filter(({ type }) => type === "Container");
  const limits = merge(items.map((item) => item.default));
  const requests = merge(items.map((item) => item.defaultRequest));
  const notes = LISTS.flatMap(({ list, what }) => {
    const filled = (pod.spec[list] ?? []).map((container) =>
      fill(container, { limits, requests }, what),
    );
    const said = filled.flatMap((each) => each.notes);
    if (said.length > 0) pod.spec[list] = filled.map(({ container }) => container);
    return said;
  });
  if (notes.length === 0) return;
  const note = `LimitRanger plugin set: ${notes.join("; ")}`;
  pod.metadata.annotations = { ...pod.metadata.annotations, [ANNOTATION]: note };
}

function merge(lists: readonly (ResourceList | undefined)[]): ResourceList {
  return Object.assign({}, ...lists);
}

interface Defaults {
  readonly limits: ResourceList;
  readonly requests: ResourceList;
}

interface Filled {
  /** A copy, because pods of one template share their containers. */
  readonly container: Draft<Container>;
  /** What was set, for the annotation. */
  readonly notes: readonly string[];
}

function fill(container: Draft<Container>, defaults: Defaults, what: string): Filled {
  const resources = { ...container.resources };
  const notes = (["requests", "limits"] as const).flatMap((field) => {
    const given = resources[field] ?? {};
    const missing = Object.keys(defaults[field]).filter((name) => !Object.hasOwn(given, name));
    if (missing.length === 0) return [];
    resources[field] = { ...defaults[field], ...given };
    const singular = field === "requests" ? "request" : "limit";
    return [`${missing.sort().join(", ")} ${singular} for ${what} ${container.name}`];
  });
  return { container: { ...container, resources }, notes };
}

function itemProblems(request: AdmissionRequest, item: LimitRangeItem): string[] {
  const constraint: Constraint = { type: item.type, item, hasLimits: true };
  if (isAbout(request, "PersistentVolumeClaim")) {
    if (item.type !== "PersistentVolumeClaim") return [];
    const { resources } = (request.object as unknown as PersistentVolumeClaim).spec;
    return constraintProblems({ ...constraint, hasLimits: false }, resources);
  }
  const { spec } = request.object as unknown as Pod;
  if (item.type === "Container") {
    const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
    return containers.flatMap(({ resources }) => constraintProblems(constraint, resources));
  }
  if (item.type !== "Pod") return [];
  const requests = aggregateResources(spec, "requests");
  const limits = aggregateResources(spec, "limits");
  return constraintProblems(constraint, { requests, limits });
}

/** Go's aggregate of errors: duplicates removed, in brackets if there are several. */
function aggregate(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? distinct.join("") : `[${distinct.join(", ")}]`;
}
