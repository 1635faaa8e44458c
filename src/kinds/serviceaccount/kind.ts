/** Pure: ServiceAccounts: a name that pods run under. */
import type { ServiceAccount } from "../../api/generated/core.ts";
import { defineKind } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import { standardRules } from "../meta/standard-rules.ts";
import { age } from "../print/age.ts";

export const serviceAccountKind = defineKind<ServiceAccount>({
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  resource: "serviceaccounts",
  singular: "serviceaccount",
  namespaced: true,
  shortNames: ["sa"],
  message: "core/v1.ServiceAccount",
  subresources: [
    {
      name: "token",
      verbs: ["create"],
      group: "authentication.k8s.io",
      version: "v1",
      kind: "TokenRequest",
    },
  ],
  rules: standardRules({ namespaced: true }),
  deletion: { returnsObject: true },
  columns: [
    nameColumn,
    column("Secrets", "How many secrets the pods of this account may use."),
    ageColumn,
  ],
  cells: ({ metadata, secrets = [] }, now) => [
    metadata.name ?? "",
    secrets.length,
    age(metadata.creationTimestamp, now),
  ],
});
