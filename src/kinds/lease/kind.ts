/** Pure: Leases: who holds something, and since when. */
import { type Finding, invalid } from "../../api/finding.ts";
import type { Lease } from "../../api/generated/coordination.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import type { Draft } from "../../api/object.ts";
import { age } from "../../api/print/age.ts";
import { defineKind } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../meta/columns.ts";
import {
  validateAnyMeta,
  validateAnyMetaUpdate,
  validateNonnegative,
} from "../meta/object-meta.ts";

const holderColumn = column(
  "Holder",
  "holderIdentity contains the identity of the holder of a current lease. If Coordinated Leader " +
    "Election is used, the holder identity must be equal to the elected " +
    "LeaseCandidate.metadata.name field.",
);

export const leaseKind = defineKind<Lease>({
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  resource: "leases",
  singular: "lease",
  namespaced: true,
  message: "coordination/v1.Lease",
  createsOnUpdate: true,
  requiresResourceVersion: true,
  rules: {
    prepareForCreate: dropCoordination,
    validate,
    prepareForUpdate: dropCoordination,
    validateUpdate,
  },
  columns: [nameColumn, holderColumn, ageColumn],
  cells: ({ metadata, spec }, now) => [
    metadata.name ?? "",
    spec.holderIdentity ?? "",
    age(metadata.creationTimestamp, now),
  ],
});

function validate(lease: Lease): Finding[] {
  const rules = { namespaced: true, nameRule: dns1123Subdomain };
  return [...validateAnyMeta(lease.metadata, rules, "metadata"), ...validateSpec(lease)];
}

function validateUpdate(next: Lease, old: Lease): Finding[] {
  return [...validateAnyMetaUpdate(next.metadata, old.metadata, "metadata"), ...validateSpec(next)];
}

function validateSpec({ spec }: Lease): Finding[] {
  const { leaseDurationSeconds: duration, leaseTransitions } = spec;
  const findings: Finding[] = [];
  if (duration !== undefined && duration <= 0) {
    findings.push(invalid("spec.leaseDurationSeconds", duration, "must be greater than 0"));
  }
  return [...findings, ...validateNonnegative(leaseTransitions ?? 0, "spec.leaseTransitions")];
}

/** Fields of coordinated leader election, which Kubernetes disables by default. */
function dropCoordination({ spec }: Draft<Lease>): void {
  delete spec.strategy;
  delete spec.preferredHolder;
}
