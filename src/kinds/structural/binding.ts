/** Pure: Bindings, which can only be created: they assign a pod to a node. */
import type { Binding } from "../../api/generated/core.ts";
import { defineKind } from "../kind.ts";
import { createdAtColumn, nameColumn } from "../meta/columns.ts";
import { standardRules } from "../meta/standard-rules.ts";

export const bindingKind = defineKind<Binding>({
  group: "",
  version: "v1",
  kind: "Binding",
  resource: "bindings",
  singular: "binding",
  namespaced: true,
  message: "core/v1.Binding",
  verbs: ["create"],
  rules: standardRules({ namespaced: true }),
  columns: [nameColumn, createdAtColumn],
  cells: ({ metadata }) => [metadata.name ?? "", metadata.creationTimestamp ?? ""],
});
