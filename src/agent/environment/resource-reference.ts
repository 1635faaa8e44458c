/** Pure: the requests and limits of a container that a variable may refer to. */
import type { Container, Pod, ResourceFieldSelector } from "../../api/generated/core.ts";
import { getQuantity, isZero, milliUnits, type Quantity, wholeUnits } from "../../api/quantity.ts";

export type ResourceList = { readonly [resource: string]: string };

export interface ResourceReader {
  readonly pod: Pod;
  readonly container: Container;
  /** What a container without a limit of its own may use. */
  readonly allocatable: ResourceList;
}

const REFERENCE = /^(requests|limits)\.(cpu|memory|ephemeral-storage|hugepages-.+)$/;

/** Rounded up to whole divisors; unresolved is what the server accepts from nobody. */
export function resolveResource(
  { containerName = "", resource, divisor = "0" }: ResourceFieldSelector,
  reader: ResourceReader,
): { readonly value: string } | { readonly unresolved: string } {
  const [, list, name] = REFERENCE.exec(resource) ?? [];
  if (name === undefined) return { unresolved: `unsupported container resource : ${resource}` };
  const referred = findContainer(reader, containerName);
  if (referred === undefined) return { unresolved: `container ${containerName} not found` };
  const { resources } = referred.container;
  const own = getQuantity(
    amountIn(list === "limits" ? resources.limits : resources.requests, name),
  );
  const isDefaulted = list === "limits" && isZero(own) && referred.hasDefaults;
  const amount = isDefaulted ? defaultLimit(reader, name) : own;
  return { value: String(dividedUp(amount, { by: getQuantity(divisor), isCpu: name === "cpu" })) };
}

interface Referred {
  readonly container: Container;
  readonly hasDefaults: boolean;
}

/** As kubelet does: an init container that is referred to by name gets no default limits. */
function findContainer({ pod, container }: ResourceReader, name: string): Referred | undefined {
  if (name === "") return { container, hasDefaults: true };
  const isNamed = (other: Container) => other.name === name;
  const regular = pod.spec.containers?.find(isNamed);
  if (regular !== undefined) return { container: regular, hasDefaults: true };
  const init = pod.spec.initContainers?.find(isNamed);
  return init && { container: init, hasDefaults: false };
}

/** Huge pages are never overcommitted: without a limit there are none. */
function defaultLimit({ pod, allocatable }: ResourceReader, name: string): Quantity {
  if (name.startsWith("hugepages-")) return getQuantity("0");
  const ofPod = getQuantity(amountIn(pod.spec.resources?.limits, name));
  return isZero(ofPod) ? getQuantity(amountIn(allocatable, name)) : ofPod;
}

function amountIn(list: ResourceList | undefined, name: string): string {
  return list?.[name] ?? "0";
}

interface Division {
  readonly by: Quantity;
  readonly isCpu: boolean;
}

function dividedUp(amount: Quantity, { by, isCpu }: Division): bigint {
  const unitsOf = isCpu ? milliUnits : wholeUnits;
  const divisor = unitsOf(isZero(by) ? getQuantity("1") : by);
  return (unitsOf(amount) + divisor - 1n) / divisor;
}
