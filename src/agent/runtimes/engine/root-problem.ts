/** Pure: whether a container that must not be root would be, in kubelet's words. */
import type { EngineRun } from "./engine-run.ts";
import type { FoundImage } from "./images.ts";

export function rootProblem(
  { nonRoot, user }: Pick<EngineRun, "nonRoot" | "user">,
  image: Pick<FoundImage, "user">,
): string | undefined {
  if (!nonRoot) return undefined;
  const problem = problemOf(user.uid, image.user);
  if (problem === undefined) return undefined;
  return `${problem} (pod: ${JSON.stringify(nonRoot.pod)}, container: ${nonRoot.container})`;
}

function problemOf(uid: number | undefined, imageUser: string): string | undefined {
  if (uid === 0) return "container's runAsUser breaks non-root policy";
  if (uid !== undefined) return undefined;
  const [name = ""] = imageUser.split(":");
  // A name is not looked up, not even this one.
  if (Number(name) === 0) {
    return "container has runAsNonRoot and image will run as root";
  }
  if (/^\d+$/.test(name)) return undefined;
  const what = `image has non-numeric user (${name}), cannot verify user is non-root`;
  return `container has runAsNonRoot and ${what}`;
}
