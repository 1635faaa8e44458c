/** Pure: ServiceAccounts: a name that pods run under. Of the secrets listed only names count. */
import type { ServiceAccount } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { defineKind } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import { standardRules } from "../meta/standard-rules.ts";
import { age } from "../print/age.ts";

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
  columns: [
    nameColumn,
    column(
      "Secrets",
      "Secrets is a list of the secrets in the same namespace that pods running using this " +
        "ServiceAccount are allowed to use. Pods are only limited to this list if this service " +
        `account has a "${ENFORCE_SECRETS}" annotation set to "true". The "${ENFORCE_SECRETS}" ` +
        "annotation is deprecated since v1.32. Prefer separate namespaces to isolate access to " +
        "mounted secrets. This field should not be used to find auto-generated service account " +
        "token secrets for use outside of pods. Instead, tokens can be requested directly using " +
        "the TokenRequest API, or service account token secrets can be manually created. More " +
        "info: https://kubernetes.io/docs/concepts/configuration/secret",
    ),
    ageColumn,
  ],
  cells: ({ metadata, secrets = [] }, now) => [
    metadata.name ?? "",
    secrets.length,
    age(metadata.creationTimestamp, now),
  ],
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
