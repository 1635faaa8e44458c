/** Pure: whether a container that must not be root would be, in kubelet's words. */
import type { EngineRun } from "./engine-run.ts";
import type { FoundImage } from "./images.ts";

export function rootProblem(
  { mustNotBeRoot, user }: EngineRun,
  image: FoundImage,
): string | undefined {
  if (!mustNotBeRoot) return undefined;
  if (user.uid === 0) return "container's runAsUser breaks non-root policy";
  if (user.uid !== undefined) return undefined;
  const [name = ""] = image.user.split(":");
  if (name === "" || name === "root" || Number(name) === 0) {
    return "container has runAsNonRoot and image will run as root";
  }
  if (/^\d+$/.test(name)) return undefined;
  const what = `image has non-numeric user (${name}), cannot verify user is non-root`;
  return `container has runAsNonRoot and ${what}`;
}
