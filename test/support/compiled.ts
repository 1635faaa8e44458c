/** Bundles a child program once per test file, so that it can run outside the test runner. */
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");

export interface Compiled {
  readonly child: string;
  dispose(): Promise<void>;
}

/** `source` is a path relative to the root of the project. */
export async function compileChild(source: string): Promise<Compiled> {
  const { rolldown } = await import("rolldown");
  // The bundle is written inside the project, so that its imports of packages resolve.
  await mkdir(join(ROOT, ".cache"), { recursive: true });
  const directory = await mkdtemp(join(ROOT, ".cache", "child-"));
  const { dependencies } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const external = Object.keys(dependencies).map((each) => new RegExp(`^${each}(/|$)`));
  const input = join(ROOT, source);
  const bundle = await rolldown({ input, platform: "node", external, cwd: ROOT });
  await bundle.write({ dir: directory, format: "esm", entryFileNames: "child.mjs" });
  await bundle.close();
  return {
    child: join(directory, "child.mjs"),
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
}
