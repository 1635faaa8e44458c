/** Pure: AppArmor profiles, which were annotations before they became fields. */
import { isEqual } from "../../api/equal.ts";
import type { AppArmorProfile, Pod } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";

import { APP_ARMOR_OF_CONTAINER } from "./validate-annotations.ts";
import { validateAppArmorProfile } from "./validate-security-context.ts";

const LOCALHOST = "localhost/";

export function setAppArmorFields(pod: Draft<Pod>): void {
  for (const { container, profile } of annotatedContainers(pod)) {
    if (profile === undefined) continue;
    container.securityContext = { ...container.securityContext, appArmorProfile: profile };
  }
}

/** Valid annotations are converted to fields. The client is warned before that happens. */
export function appArmorWarnings(pod: Pod): string[] {
  return annotatedContainers(pod).map(
    ({ key }) =>
      `metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`,
  );
}

/** Containers with an annotation that no field covers. */
function annotatedContainers<P extends Pod | Draft<Pod>>({ spec, metadata }: P) {
  if (spec.os?.name === "windows") return [];
  const ofPod = spec.securityContext?.appArmorProfile;
  type Container = NonNullable<P["spec"]["containers"]>[number];
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  const all = [...initContainers, ...(containers ?? []), ...ephemeralContainers] as Container[];
  return all.flatMap((container) => {
    const key = `${APP_ARMOR_OF_CONTAINER}${container.name}`;
    const annotation = metadata.annotations?.[key];
    const own = container.securityContext?.appArmorProfile;
    if (annotation === undefined || own !== undefined) return [];
    const profile = parseAnnotation(annotation);
    return profile !== undefined && isEqual(profile, ofPod) ? [] : [{ container, key, profile }];
  });
}

/** Undefined if the annotation is not a profile that a field can represent. */
function parseAnnotation(text: string): Draft<AppArmorProfile> | undefined {
  if (text === "unconfined") return { type: "Unconfined" };
  if (text === "runtime/default") return { type: "RuntimeDefault" };
  if (!text.startsWith(LOCALHOST)) return undefined;
  const profile = { type: "Localhost", localhostProfile: text.slice(LOCALHOST.length) };
  return validateAppArmorProfile(profile, "").length === 0 ? profile : undefined;
}
