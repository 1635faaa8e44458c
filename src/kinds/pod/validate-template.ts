/** Pure: validates a pod template. */
import { type Finding, forbidden } from "../../api/finding.ts";
import type { PodTemplateSpec } from "../../api/generated/core.ts";
import { validateAnnotations, validateLabels } from "../meta/labels.ts";
import { validatePodAnnotations, validateSeccompMatch } from "./validate-annotations.ts";
import { validatePodSpec } from "./validate-spec.ts";
import type { PodIdentity } from "./volume-place.ts";

/** Of a template's metadata only labels and annotations are validated. */
export function validatePodTemplateSpec(
  template: PodTemplateSpec,
  path: string,
  options: PodIdentity = {},
): Finding[] {
  const { metadata, spec } = template;
  const findings = [
    ...validateLabels(metadata.labels, `${path}.labels`),
    ...validateAnnotations(metadata.annotations, `${path}.annotations`),
    ...validatePodAnnotations(metadata.annotations, spec, `${path}.annotations`),
    ...validatePodSpec(spec, `${path}.spec`, options),
    ...validateSeccompMatch(metadata, spec, `${path}.spec`),
  ];
  if ((spec.ephemeralContainers ?? []).length === 0) return findings;
  const detail = "ephemeral containers not allowed in pod template";
  return [...findings, forbidden(`${path}.spec.ephemeralContainers`, detail)];
}
