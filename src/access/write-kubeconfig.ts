/** Tells kubectl where the server is, in a file of its own. */
import { dirname } from "node:path";
import { refuseOthersFile } from "../base/own-directory.ts";
import { type Access, formatKubeconfig } from "./kubeconfig.ts";
import {
  ensureDirectory,
  readIfPresent,
  readPrivateFile,
  writePrivateFile,
} from "./private-file.ts";

/**
 * Replaces what an earlier start wrote. Anything else in that place is somebody's, if only by a
 * "kubectl config set-context": our entries are merged into it.
 */
export async function writeKubeconfig(file: string, access: Access): Promise<void> {
  await ensureDirectory(dirname(file));
  refuseOthersFile(file);
  const present = await readIfPresent(file);
  if (present === undefined || present.startsWith(HEADER)) {
    const text = HEADER + formatKubeconfig(access);
    // On a disk that is full a server must come up again, or nobody could delete anything.
    if ((await readPrivateFile(file)) !== text) await writePrivateFile(file, text);
    return;
  }
  const { mergeKubeconfig } = await import("./merge-kubeconfig.ts");
  await mergeKubeconfig(file, access);
}

/** kubectl drops comments, so a file that begins with this one is as we left it. */
const HEADER = "# Written by tally up, anew at every start: changes made by hand are lost.\n";
