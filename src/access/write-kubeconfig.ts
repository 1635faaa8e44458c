/** Tells kubectl where the server is, in a file of its own. */
import { dirname } from "node:path";
import { type Access, formatKubeconfig } from "./kubeconfig.ts";
import { ensureDirectory, readIfPresent, writePrivateFile } from "./private-file.ts";

/**
 * Replaces what an earlier start wrote. Anything else in that place is somebody's, if only by a
 * "kubectl config set-context": our entries are merged into it.
 */
export async function writeKubeconfig(file: string, access: Access): Promise<void> {
  await ensureDirectory(dirname(file));
  const present = await readIfPresent(file);
  if (present === undefined || present.startsWith(HEADER)) {
    await writePrivateFile(file, HEADER + formatKubeconfig(access));
    return;
  }
  const { mergeKubeconfig } = await import("./merge-kubeconfig.ts");
  await mergeKubeconfig(file, access);
}

/** kubectl drops comments, so a file that begins with this one is as we left it. */
const HEADER = "# Written by tally up, anew at every start: changes made by hand are lost.\n";
