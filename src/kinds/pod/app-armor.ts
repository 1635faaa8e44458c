/** Pure: AppArmor profiles, which were annotations before they were fields. */
import { isEqual } from "../../api/equal.ts";
import type { AppArmorProfile, Pod } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";

import { APP_ARMOR_OF_CONTAINER } from "./validate-annotations.ts";
import { validateAppArmorProfile } from "./validate-security-context.ts";

const LOCALHOST = "localhost/";

export function setAppArmorFields(pod: Draft<Pod>): void {
  const { spec, metadata } = pod;
  if (spec.os?.name === "windows") return;
  const ofPod = spec.securityContext?.appArmorProfile;
  const containers = [spec.initContainers, spec.containers, spec.ephemeralContainers];
  for (const container of containers.flatMap((list) => list ?? [])) {
    const key = `${APP_ARMOR_OF_CONTAINER}${container.name}`;
    const annotation = metadata.annotations?.[key];
    const own = container.securityContext?.appArmorProfile;
    if (annotation === undefined || own !== undefined) continue;
    const profile = parseAnnotation(annotation);
    if (profile === undefined || isEqual(profile, ofPod)) continue;
    container.securityContext = { ...container.securityContext, appArmorProfile: profile };
  }
}

/** Undefined where the annotation is no profile a field could hold. */
function parseAnnotation(text: string): Draft<AppArmorProfile> | undefined {
  if (text === "unconfined") return { type: "Unconfined" };
  if (text === "runtime/default") return { type: "RuntimeDefault" };
  if (!text.startsWith(LOCALHOST)) return undefined;
  const profile = { type: "Localhost", localhostProfile: text.slice(LOCALHOST.length) };
  return validateAppArmorProfile(profile, "").length === 0 ? profile : undefined;
}
