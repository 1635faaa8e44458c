import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, "..", "..", "..");

/** All files that the file imports, directly or indirectly, type imports included. */
function reachedFrom(file: string, reached = new Set<string>()): Set<string> {
  if (reached.has(file) || !existsSync(file)) return reached;
  reached.add(file);
  for (const [, specifier = ""] of readFileSync(file, "utf8").matchAll(/from "(\.[^"]+)"/g)) {
    reachedFrom(path.join(path.dirname(file), specifier), reached);
  }
  return reached;
}

test("the reference model imports nothing of the controllers that it judges", () => {
  const all = [...reachedFrom(path.join(here, "referee.ts"))];
  for (const file of reachedFrom(path.join(here, "forecast.ts"))) all.push(file);
  const names = all.map((file) => path.relative(root, file));
  expect(names).toContain("test/simulation/model/ledger.ts");
  expect(names.filter((name) => name.startsWith("src/controllers/"))).toEqual([]);
});
