/** Pure: validates the assignment of a pod to a node. */
import { type Finding, notSupported, required } from "../../api/finding.ts";
import type { Binding } from "../../api/generated/core.ts";

export function validatePodBinding({ target }: Binding): Finding[] {
  const { kind = "", name = "" } = target;
  return [
    ...(kind === "" || kind === "Node"
      ? []
      : [notSupported("target.kind", kind, ["Node", "<empty>"])]),
    ...(name === "" ? [required("target.name")] : []),
  ];
}
