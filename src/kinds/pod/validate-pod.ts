/** Pure: validates a new pod, beyond the rules of its spec. */
import { type Finding, forbidden } from "../../api/finding.ts";
import type { Pod, PodSpec } from "../../api/generated/core.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import { validateObjectMeta } from "../meta/object-meta.ts";
import { findValidSibling, rememberValid } from "./siblings.ts";
import {
  validateAppArmorMatch,
  validatePodAnnotations,
  validateSeccompMatch,
} from "./validate-annotations.ts";
import { validateImageSpaces } from "./validate-container.ts";
import { validateHostname } from "./validate-dns.ts";
import { validatePodSpec } from "./validate-spec.ts";

export function validatePod(pod: Pod): Finding[] {
  const { metadata, spec } = pod;
  const findings = validatePodContent(pod);
  if ((spec.ephemeralContainers ?? []).length > 0) {
    findings.push(forbidden("spec.ephemeralContainers", "cannot be set on create"));
  }
  if ((spec.nodeName ?? "") !== "" && (spec.schedulingGates ?? []).length > 0) {
    const detail = "cannot be set until all schedulingGates have been cleared";
    findings.push(forbidden("spec.nodeName", detail));
  }
  return [
    ...findings,
    ...validateSeccompMatch(metadata, spec, "spec"),
    ...validateAppArmorMatch(metadata, spec, "spec"),
  ];
}

/**
 * The rules that a pod must always meet; some do not apply to templates. On an update, parts that
 * are shared with the old pod are not validated again.
 */
export function validatePodContent({ metadata, spec }: Pod, old?: Pod): Finding[] {
  const podName = metadata.name ?? "";
  const rules = { namespaced: true, nameRule: dns1123Subdomain };
  const ofMeta = validateObjectMeta(metadata, rules, "metadata", old?.metadata);
  if (spec === old?.spec && metadata.annotations === old.metadata.annotations) return ofMeta;
  return [
    ...ofMeta,
    ...validatePodAnnotations(metadata.annotations, spec, "metadata.annotations"),
    ...validateSpec(spec, podName),
  ];
}

function validateSpec(spec: PodSpec, podName: string): Finding[] {
  if (findValidSibling(spec)) return validateHostname(spec, "spec");
  const findings = [
    ...validatePodSpec(spec, "spec", { isPod: true, podName }),
    ...validateTokens(spec),
    ...(["containers", "initContainers"] as const).flatMap((list) =>
      (spec[list] ?? []).flatMap((container, at) =>
        validateImageSpaces(container, `spec.${list}[${at}]`),
      ),
    ),
  ];
  if (findings.length === 0) rememberValid(spec);
  return findings;
}

/** A token needs a service account. */
function validateTokens({ serviceAccountName = "", volumes = [] }: PodSpec): Finding[] {
  if (serviceAccountName !== "") return [];
  const detail = "must not be specified when serviceAccountName is not set";
  return volumes.flatMap(({ projected }, at) =>
    (projected?.sources ?? []).flatMap(({ serviceAccountToken }, index) => {
      if (serviceAccountToken === undefined) return [];
      const field = `spec.volumes[${at}].projected.sources[${index}].serviceAccountToken`;
      return [forbidden(field, detail)];
    }),
  );
}
