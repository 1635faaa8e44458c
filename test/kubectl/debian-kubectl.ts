/** The kubectl of a newer Debian release, cached in the project. */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { debianProgram } from "../support/debian-package.ts";

const CACHE = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../.cache/kubectl");

/** Returns the path of the binary. Throws with the reason if it cannot be fetched. */
export function debianKubectl(): Promise<string> {
  return debianProgram({ debianPackage: "kubectl", file: "usr/bin/kubectl", directory: CACHE });
}
