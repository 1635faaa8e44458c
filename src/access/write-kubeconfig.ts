/** Writes a kubeconfig for kubectl, in a file of our own. */
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
 * Replaces the file of an earlier start. If the user changed it, for example with "kubectl config
 * set-context", our entries are merged into it instead.
 */
export async function writeKubeconfig(file: string, access: Access): Promise<void> {
  await ensureDirectory(dirname(file));
  refuseOthersFile(file);
  const present = await readIfPresent(file);
  if (present === undefined || present.startsWith(HEADER)) {
    const text = HEADER + formatKubeconfig(access);
    // Do not write if nothing changed: on a full disk the server must be able to start again, or
    // nobody could delete anything.
    if ((await readPrivateFile(file)) !== text) await writePrivateFile(file, text);
    return;
  }
  const { mergeKubeconfig } = await import("./merge-kubeconfig.ts");
  await mergeKubeconfig(file, access);
}

/** kubectl drops comments, so a file that begins with this one was not changed by kubectl. */
const HEADER = "# Written by tally up, anew at every start: changes made by hand are lost.\n";
