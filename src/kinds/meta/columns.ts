/** Pure: the columns of all tables, with Kubernetes' own descriptions, which clients compare. */
import type { Column } from "../kind.ts";

export const nameColumn: Column = {
  name: "Name",
  type: "string",
  format: "name",
  description:
    "Name must be unique within a namespace. Is required when creating resources, although " +
    "some resources may allow a client to request the generation of an appropriate name " +
    "automatically. Name is primarily intended for creation idempotence and configuration " +
    "definition. Cannot be updated. More info: " +
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
};

const CREATION =
  "CreationTimestamp is a timestamp representing the server time when this object was " +
  "created. It is not guaranteed to be set in happens-before order across separate " +
  "operations. Clients may not set this value. It is represented in RFC3339 form and is in " +
  "UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: " +
  "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

export const ageColumn: Column = { name: "Age", type: "string", description: CREATION };

/** Used instead of the age by kinds without their own table. */
export const createdAtColumn: Column = {
  name: "Created At",
  type: "date",
  description: CREATION,
};

/**
 * Shorthand for a column. The description is Kubernetes' own, because it is part of every answer.
 */
export function column(
  name: string,
  description: string,
  options: { readonly type?: Column["type"]; readonly wide?: boolean } = {},
): Column {
  const { type = "string", wide = false } = options;
  return { name, type, ...(wide ? { priority: 1 } : {}), description };
}
