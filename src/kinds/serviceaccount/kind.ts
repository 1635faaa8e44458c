/**
 * Pure: ServiceAccounts: the identity that pods run under. Only the names of listed secrets are
 * used.
 */
import type { ServiceAccount } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { defineKind } from "../kind.ts";
import { ageColumn, nameColumn } from "../meta/columns.ts";
import { standardRules } from "../meta/standard-rules.ts";

const ENFORCE_SECRETS = "kubernetes.io/enforce-mountable-secrets";

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
  rules: {
    ...standardRules<ServiceAccount>({ namespaced: true }),
    prepareForCreate: keepNames,
    prepareForUpdate: keepNames,
    warningsOnCreate: (account) => annotationWarnings(account),
    warningsOnUpdate: annotationWarnings,
  },
  deletion: { returnsObject: true },
  columns: [nameColumn, ageColumn],
  cells: ({ metadata }, now) => [metadata.name ?? "", age(metadata.creationTimestamp, now)],
});

function keepNames(account: Draft<ServiceAccount>): void {
  if (account.secrets === undefined) return;
  account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

function annotationWarnings({ metadata }: ServiceAccount, old?: ServiceAccount): string[] {
  if (metadata.annotations?.[ENFORCE_SECRETS] === undefined) return [];
  if (old?.metadata.annotations?.[ENFORCE_SECRETS] !== undefined) return [];
  const rule = "prefer separate namespaces to isolate access to mounted secrets";
  return [`metadata.annotations[${ENFORCE_SECRETS}]: deprecated in v1.32+; ${rule}`];
}
