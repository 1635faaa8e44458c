/**
 * The simulation with a planted mistake, in a separate bundle, so that the sources do not change.
 */
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Plugin, rolldown } from "rolldown";
import type { Mutant } from "./mutants.ts";
import type { Report } from "./simulate.ts";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, "..", "..");
const rules = path.join(root, "src", "controllers", "job");
/** In this folder packages resolve, and the test runner does not transform the imported files. */
const cache = path.join(root, "node_modules", ".cache");

export interface Simulation {
  readonly simulate: (seed: number) => Promise<Report>;
}

/** How often the text to replace occurs: if not once, the mutant is out of date. */
export async function occurrences({ file, find }: Mutant): Promise<number> {
  return (await readFile(path.join(rules, file), "utf8")).split(find).length - 1;
}

export async function withMutant<T>(
  mutant: Mutant,
  use: (simulation: Simulation) => Promise<T>,
): Promise<T> {
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(path.join(cache, "mutant-"));
  const file = path.join(folder, "simulate.mjs");
  try {
    const input = path.join(here, "simulate.ts");
    const plugins = [planting(mutant), withoutDisk];
    const bundle = await rolldown({ input, platform: "node", cwd: root, plugins });
    await bundle.write({ file, format: "esm", codeSplitting: false });
    await bundle.close();
    return await use((await import(pathToFileURL(file).href)) as Simulation);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function planting({ file, find, replace }: Mutant): Plugin {
  const target = path.join(rules, file);
  return {
    name: "plant a mistake",
    transform: (code, id) => (id === target ? code.replace(find, () => replace) : undefined),
  };
}

/** The disk is simulated. The package that writes to a real disk cannot be bundled. */
const withoutDisk: Plugin = {
  name: "no disk",
  resolveId: (id) => (id === "lmdb" ? "\0no-disk" : undefined),
  load: (id) => (id === "\0no-disk" ? "export const open = undefined;" : undefined),
};
