/** The kubectl of a newer Debian, kept beside the sources. */
import path from "node:path";
import { fileURLToPath } from "node:url";
import { debianProgram } from "../support/debian-package.ts";

const CACHE = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../.cache/kubectl");

/** The path of the binary; throws with the reason there is none. */
export function debianKubectl(): Promise<string> {
  return debianProgram({ debianPackage: "kubectl", file: "usr/bin/kubectl", directory: CACHE });
}
