/**
 * Pure: reviews: questions to the server in the form of objects. They can only be created, nothing
 * is stored, and the answer is in their status (answer.ts).
 */
import type { KubeObject } from "../../api/object.ts";
import { defineKind, type Kind } from "../kind.ts";
import { createdAtColumn, nameColumn } from "../meta/columns.ts";

export const reviewKinds: readonly Kind[] = [
  reviewKind("authentication", "SelfSubjectReview"),
  reviewKind("authentication", "TokenReview"),
  reviewKind("authorization", "LocalSubjectAccessReview", true),
  reviewKind("authorization", "SelfSubjectAccessReview"),
  reviewKind("authorization", "SelfSubjectRulesReview"),
  reviewKind("authorization", "SubjectAccessReview"),
];

export function isReview(kind: Kind): boolean {
  return reviewKinds.includes(kind);
}

function reviewKind(area: string, name: string, namespaced = false): Kind {
  const singular = name.toLowerCase();
  return defineKind<KubeObject>({
    group: `${area}.k8s.io`,
    version: "v1",
    kind: name,
    resource: `${singular}s`,
    singular,
    namespaced,
    message: `${area}/v1.${name}`,
    verbs: ["create"],
    rules: { validate: () => [], validateUpdate: () => [] },
    columns: [nameColumn, createdAtColumn],
    cells: ({ metadata }) => [metadata.name ?? "", metadata.creationTimestamp ?? ""],
  });
}
