/** Pure: the subresources that the workloads of this group share. */
import type { Subresource } from "../kind.ts";

export const statusSubresource: Subresource = {
  name: "status",
  verbs: ["get", "patch", "update"],
};

export const scaleSubresource: Subresource = {
  name: "scale",
  verbs: ["get", "patch", "update"],
  kind: "Scale",
  group: "autoscaling",
  version: "v1",
};
