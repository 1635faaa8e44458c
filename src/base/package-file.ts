/** Files of the package, whether its code runs from the sources or from a bundle in dist. */
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export function packageFile(...parts: readonly string[]): string {
  return path.join(findRoot(path.dirname(fileURLToPath(import.meta.url))), ...parts);
}

function findRoot(directory: string): string {
  if (existsSync(path.join(directory, "package.json"))) return directory;
  const parent = path.dirname(directory);
  if (parent === directory)
    throw new Error("no package.json was found above the code of the package");
  return findRoot(parent);
}
