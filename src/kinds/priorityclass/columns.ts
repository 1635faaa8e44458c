/**
 * Pure: the columns of a PriorityClass, with Kubernetes' own descriptions, which clients compare.
 */
import type { Column } from "../kind.ts";
import { ageColumn, nameColumn } from "../meta/columns.ts";

export const columns: readonly Column[] = [
  nameColumn,
  {
    name: "Value",
    type: "integer",
    description:
      "value represents the integer value of this priority class. This is the actual priority " +
      "that pods receive when they have the name of this class in their pod spec.",
  },
  {
    name: "Global-Default",
    type: "boolean",
    description:
      "globalDefault specifies whether this PriorityClass should be considered as the default " +
      "priority for pods that do not have any priority class. Only one PriorityClass can be " +
      "marked as `globalDefault`. However, if more than one PriorityClasses exists with their " +
      "`globalDefault` field set to true, the smallest value of such global default " +
      "PriorityClasses will be used as the default priority.",
  },
  ageColumn,
  {
    name: "PreemptionPolicy",
    type: "string",
    description:
      "preemptionPolicy is the Policy for preempting pods with lower priority. One of Never, " +
      "PreemptLowerPriority. Defaults to PreemptLowerPriority if unset.",
  },
];
