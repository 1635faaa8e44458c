/** Sets the priority and preemption policy of a pod from its PriorityClass. */
import type { Pod } from "../../api/generated/core.ts";
import type { PriorityClass } from "../../api/generated/scheduling.ts";
import type { Draft } from "../../api/object.ts";
import { SYSTEM_CLASSES } from "../../kinds/priorityclass/kind.ts";
import { type AdmissionRequest, isAbout, refuse, type StoreView } from "./plugin.ts";

const GROUP = "scheduling.k8s.io";
const RESOURCE = `priorityclasses.${GROUP}`;

interface Priority {
  readonly className?: string;
  readonly value: number;
  readonly preemptionPolicy: string;
}

export function podPriority(request: AdmissionRequest, store: StoreView): void {
  if (!isAbout(request, "Pod")) return;
  const pod = request.object as unknown as Draft<Pod>;
  if (request.operation === "update") keepPriority(pod, request.old as Pod);
  if (request.operation === "create") setPriority(pod, request, store);
}

/** Only one class may be the default for pods that name none. */
export function onlyDefaultPriorityClass(request: AdmissionRequest, store: StoreView): void {
  if (request.operation === "delete" || !isAbout(request, "PriorityClass", GROUP)) return;
  if ((request.object as unknown as PriorityClass).globalDefault !== true) return;
  const known = findDefault(store)?.metadata.name;
  if (known === undefined) return;
  if (request.operation === "update" && known === request.object.metadata.name) return;
  const rule = "Only one default can exist";
  throw refuse(request, `PriorityClass ${known} is already marked as default. ${rule}`);
}

function keepPriority({ spec }: Draft<Pod>, { spec: old }: Pod): void {
  if (old.priority !== undefined) spec.priority ??= old.priority;
  if (old.preemptionPolicy !== undefined) spec.preemptionPolicy ??= old.preemptionPolicy;
}

function setPriority({ spec }: Draft<Pod>, request: AdmissionRequest, store: StoreView): void {
  const { className, value, preemptionPolicy } = resolve(spec.priorityClassName, request, store);
  if (className !== undefined) spec.priorityClassName = className;
  const computed = "priority admission controller computed";
  const origin = "from the given PriorityClass name";
  if (spec.priority !== undefined && spec.priority !== value) {
    const given = `the integer value of priority (${spec.priority})`;
    const problem = `${given} must not be provided in pod spec; ${computed} ${value} ${origin}`;
    throw refuse(request, problem);
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    const given = `the string value of PreemptionPolicy (${spec.preemptionPolicy})`;
    const result = `${computed} ${preemptionPolicy} ${origin}`;
    throw refuse(request, `${given} must not be provided in pod spec; ${result}`);
  }
  spec.priority = value;
  spec.preemptionPolicy = preemptionPolicy;
}

function resolve(
  className: string | undefined,
  request: AdmissionRequest,
  store: StoreView,
): Priority {
  if (className === undefined) {
    const found = findDefault(store);
    return found ? priorityOf(found) : { value: 0, preemptionPolicy: "PreemptLowerPriority" };
  }
  const found = store.get({ resource: RESOURCE, namespace: "", name: className });
  if (found !== undefined) return priorityOf(found as PriorityClass);
  const system = SYSTEM_CLASSES.find((known) => known.name === className);
  if (system === undefined) {
    throw refuse(request, `no PriorityClass with name ${className} was found`);
  }
  return { className, value: system.value, preemptionPolicy: "PreemptLowerPriority" };
}

function priorityOf({ metadata, value, preemptionPolicy }: PriorityClass): Priority {
  return {
    ...(metadata.name === undefined ? {} : { className: metadata.name }),
    value,
    preemptionPolicy: preemptionPolicy ?? "PreemptLowerPriority",
  };
}

/** If several are marked as default, the one with the lowest value counts. */
function findDefault(store: StoreView): PriorityClass | undefined {
  const classes = store.list(RESOURCE).items as readonly PriorityClass[];
  return classes
    .filter((priorityClass) => priorityClass.globalDefault === true)
    .reduce<PriorityClass | undefined>(
      (least, next) => (least === undefined || next.value < least.value ? next : least),
      undefined,
    );
}
