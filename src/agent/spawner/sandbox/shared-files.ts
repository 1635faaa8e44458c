/** What all sandboxes of a spawner show and none can change: places for devices, and nothing. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEVICE_FILES, DEVICE_FOLDERS, DEVICE_LINKS } from "./staging.ts";

/** Throws where it cannot be made. What is there already is taken as it is. */
export function makeSharedFiles(shared: string): void {
  mkdirSync(shared, { recursive: true, mode: 0o700 });
  for (const name of ["empty", "hidden"]) {
    mkdirSync(join(shared, name), { recursive: true, mode: 0o755 });
  }
  // Mounted read-only. The owner must be able to open them again: each new seat does.
  for (const name of ["nothing", "hidden-file"]) {
    writeFileSync(join(shared, name), "", { flag: "a", mode: 0o644 });
  }
  for (const name of ["", ...DEVICE_FOLDERS]) {
    mkdirSync(join(shared, "dev", name), { recursive: true, mode: 0o755 });
  }
  for (const name of DEVICE_FILES) writeFileSync(join(shared, "dev", name), "", { flag: "a" });
  for (const [name, target] of DEVICE_LINKS) makeLink(join(shared, "dev", name), target);
}

function makeLink(path: string, target: string): void {
  try {
    symlinkSync(target, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
