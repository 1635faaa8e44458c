/** Compiles the child once per test file, so that it can run outside of the test runner. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const ROOT = resolve(import.meta.dirname, "../..");

export interface Compiled {
  readonly child: string;
  dispose(): Promise<void>;
}

export async function compileChild(): Promise<Compiled> {
  // Inside the project, where imports of packages find them.
  await mkdir(join(ROOT, ".cache"), { recursive: true });
  const directory = await mkdtemp(join(ROOT, ".cache", "durability-"));
  const config = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: { noEmit: false, rootDir: ROOT, outDir: join(directory, "out") },
    files: [join(ROOT, "test/durability/child.ts")],
    include: [],
  };
  await writeFile(join(directory, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  await promisify(execFile)(process.execPath, [compiler, "-p", directory]);
  return {
    child: join(directory, "out/test/durability/child.js"),
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
}
