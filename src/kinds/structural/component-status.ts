/**
 * Pure: ComponentStatuses, which Kubernetes has deprecated: they are in discovery, but none exists.
 */
import type { ComponentStatus } from "../../api/generated/core.ts";
import { age } from "../../api/print/age.ts";
import { defineKind } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import { standardRules } from "../meta/standard-rules.ts";

export const componentStatusKind = defineKind<ComponentStatus>({
  group: "",
  version: "v1",
  kind: "ComponentStatus",
  resource: "componentstatuses",
  singular: "componentstatus",
  namespaced: false,
  shortNames: ["cs"],
  message: "core/v1.ComponentStatus",
  verbs: ["get", "list"],
  deprecation: "v1 ComponentStatus is deprecated in v1.19+",
  rules: standardRules({ namespaced: false }),
  columns: [
    nameColumn,
    column("Status", "Status of the component conditions"),
    column("Message", "Message of the component conditions"),
    column("Error", "Error of the component conditions"),
    ageColumn,
  ],
  cells: ({ metadata, conditions = [] }, now) => {
    const healthy = conditions.find(({ type }) => type === "Healthy");
    const status = { True: "Healthy", False: "Unhealthy" }[healthy?.status ?? ""] ?? "Unknown";
    const { message = "", error = "" } = healthy ?? {};
    return [metadata.name ?? "", status, message, error, age(metadata.creationTimestamp, now)];
  },
});
