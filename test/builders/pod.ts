/** Valid pods for tests: a test names only the fields that matter to it. */
import { formatFinding } from "../../src/api/finding.ts";
import type { Pod } from "../../src/api/generated/core.ts";
import { type Draft, draftOf, type Json } from "../../src/api/object.ts";
import { canonicalize } from "../../src/api/schema/decode.ts";
import { setPodDefaults, setPodTemplateDefaults } from "../../src/kinds/pod/defaults.ts";
import { prepareForCreate } from "../../src/kinds/pod/prepare.ts";
import { validatePodTemplateSpec } from "../../src/kinds/pod/validate-template.ts";

type Fields = { readonly [key: string]: unknown };

export interface PodFields {
  readonly metadata?: Fields;
  readonly spec?: Fields;
  readonly status?: Fields;
}

const container = { name: "c", image: "busybox:1.36" };

/** A pod as a client sent it, after decoding. */
export function writtenPod({ metadata = {}, spec = {}, status = {} }: PodFields = {}): Draft<Pod> {
  const whole = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", ...metadata },
    spec: { containers: [container], ...spec },
    status,
  };
  return canonicalize(whole as Json, "core/v1.Pod") as Draft<Pod>;
}

/** A pod as it is stored after its creation and a status update. */
export function storedPod(fields: PodFields = {}): Draft<Pod> {
  const pod = writtenPod({ ...fields, status: {} });
  pod.metadata.creationTimestamp = "2026-01-01T00:00:00Z";
  pod.metadata.resourceVersion = "1";
  setPodDefaults(pod);
  prepareForCreate(pod);
  const reported = writtenPod({ status: fields.status ?? {} }).status;
  pod.status = { ...pod.status, ...reported };
  return pod;
}

export function changed(pod: Pod, change: (next: Draft<Pod>) => void): Draft<Pod> {
  const next = draftOf(pod);
  change(next);
  return next;
}

/** The findings of validating a template with this spec; their paths start with "t.spec". */
export function findingsInSpec(spec: Fields): string[] {
  const { metadata, spec: written } = writtenPod({ spec });
  const template = { metadata, spec: written };
  setPodTemplateDefaults(template);
  return validatePodTemplateSpec(template, "t").map(formatFinding);
}

/** The findings for the only container, with paths relative to "t.spec.containers[0]". */
export function findingsInContainer(fields: Fields, spec: Fields = {}): string[] {
  const path = "t.spec.containers[0]";
  return findingsInSpec({ ...spec, containers: [{ ...container, ...fields }] }).map((text) =>
    text.startsWith(path) ? text.slice(path.length + 1) : text,
  );
}
