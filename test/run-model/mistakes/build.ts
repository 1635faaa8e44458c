/** A build of the program with a mistake planted in it, in a folder of its own. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { ROOT } from "../../tidy/source.ts";
import type { Mistake } from "./mistakes.ts";

const COPIED = ["src", "scripts", "schema", "package.json", "package-lock.json"];

/** How often each text to replace is there: if not once, the mistake is out of date. */
export function occurrences({ edits }: Mistake): readonly number[] {
  return edits.map(({ file, find }) => read(path.join(ROOT, file)).split(find).length - 1);
}

/** @param use is given `main.js` of the build. */
export async function withMistake<T>(
  { edits }: Mistake,
  use: (program: string) => Promise<T>,
): Promise<T> {
  const cache = path.join(ROOT, ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(path.join(cache, "mistake-"));
  try {
    for (const name of COPIED) cpSync(path.join(ROOT, name), path.join(folder, name), OPTIONS);
    symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
    for (const { file, find, replace } of edits) {
      const target = path.join(folder, file);
      writeFileSync(
        target,
        read(target).replace(find, () => replace),
      );
    }
    execFileSync(process.execPath, [path.join(folder, "scripts", "setup.mjs")], {
      stdio: "ignore",
    });
    return await use(path.join(folder, "dist", "main.js"));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const OPTIONS = { recursive: true } as const;

function read(file: string): string {
  return readFileSync(file, "utf8");
}
