/** Pure: the columns of a Namespace, with Kubernetes' own descriptions, which clients compare. */
import type { Column } from "../kind.ts";
import { ageColumn, nameColumn } from "../meta/columns.ts";

export const columns: readonly Column[] = [
  nameColumn,
  {
    name: "Status",
    type: "string",
    description: "The status of the namespace",
  },
  ageColumn,
];
