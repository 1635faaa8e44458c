/** Pure: what the pods of a node take of it, one by one and together. */
import type { Node, Pod } from "../../api/generated/core.ts";
import { formatQuantity, getQuantity, milliUnits, wholeUnits } from "../../api/quantity.ts";
import { field, type Lines, since } from "./fields.ts";
import { type Amounts, addAmounts, podLimits, podRequests } from "./pod-resources.ts";

export function nodeResourceLines(node: Node, pods: readonly Pod[], nowMs: number): Lines {
  const { capacity = {}, allocatable = {} } = node.status;
  const offered = Object.keys(allocatable).length > 0 ? allocatable : capacity;
  const share = (name: string, amounts: Amounts) => shareText(name, amounts, offered);
  const all = pods.map((pod) => ({ pod, requests: podRequests(pod), limits: podLimits(pod) }));
  const rows = all.map(({ pod, requests, limits }) => {
    const { namespace = "", name = "", creationTimestamp } = pod.metadata;
    const cells = [
      share("cpu", requests),
      share("cpu", limits),
      share("memory", requests),
      share("memory", limits),
      since(creationTimestamp, nowMs),
    ];
    return `  ${namespace}\t${name}\t\t${cells.join("\t")}`;
  });
  const requests = all.map((each) => each.requests).reduce(addAmounts, NONE);
  const limits = all.map((each) => each.limits).reduce(addAmounts, NONE);
  const total = (name: string) => `  ${name}\t${share(name, requests)}\t${share(name, limits)}`;
  const plain = (name: string) =>
    `  ${name}\t${amountText(name, requests)}\t${amountText(name, limits)}`;
  const others = Object.keys(offered).sort();
  return [
    field("Non-terminated Pods", `(${pods.length} in total)`),
    "  Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge",
    "  ---------\t----\t\t------------\t----------\t---------------\t-------------\t---",
    ...rows,
    "Allocated resources:",
    "  (Total limits may be over 100 percent, i.e., overcommitted.)",
    "  Resource\tRequests\tLimits",
    "  --------\t--------\t------",
    ...["cpu", "memory", "ephemeral-storage"].map(total),
    ...others.filter((name) => name.startsWith("hugepages-")).map(total),
    ...others.filter(isExtended).map(plain),
  ];
}

const NONE: Amounts = new Map();
const STANDARD = ["cpu", "memory", "ephemeral-storage", "pods"];

function isExtended(name: string): boolean {
  return !STANDARD.includes(name) && !name.startsWith("hugepages-");
}

function amountText(name: string, amounts: Amounts): string {
  const amount = amounts.get(name);
  return amount ? formatQuantity(amount) : "0";
}

/** "500m (12%)", of what the node offers. */
function shareText(
  name: string,
  amounts: Amounts,
  offered: { readonly [name: string]: string },
): string {
  const amount = amounts.get(name);
  const unitsOf = name === "cpu" ? milliUnits : wholeUnits;
  const whole = offered[name] === undefined ? 0n : unitsOf(getQuantity(offered[name]));
  const part = amount ? unitsOf(amount) : 0n;
  const percent = whole === 0n ? 0 : Math.trunc((Number(part) / Number(whole)) * 100);
  return `${amountText(name, amounts)} (${percent}%)`;
}
