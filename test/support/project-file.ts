/** Finds a file of the project, both from the sources and from the compiled benchmarks. */
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = findRoot(path.dirname(fileURLToPath(import.meta.url)));

export function projectFile(relative: string): string {
  return path.join(ROOT, relative);
}

function findRoot(directory: string): string {
  if (existsSync(path.join(directory, "package.json"))) return directory;
  return findRoot(path.dirname(directory));
}
