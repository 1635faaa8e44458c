/** Bundles a child once per test file, so that it can run outside of the test runner. */
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../..");

export interface Compiled {
  readonly child: string;
  dispose(): Promise<void>;
}

/** The source is a path of the project. */
export async function compileChild(source: string): Promise<Compiled> {
  const { rolldown } = await import("rolldown");
  // Inside the project, where imports of packages find them.
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
