/** Pure: the columns of a ConfigMap, with Kubernetes' own descriptions, which clients compare. */
import type { Column } from "../kind.ts";
import { ageColumn, nameColumn } from "../meta/columns.ts";

export const columns: readonly Column[] = [
  nameColumn,
  {
    name: "Data",
    type: "string",
    description:
      "Data contains the configuration data. Each key must consist of alphanumeric " +
      "characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the " +
      "BinaryData field. The keys stored in Data must not overlap with the keys in the " +
      "BinaryData field, this is enforced during validation process.",
  },
  ageColumn,
];
