/** Where a server keeps its data unless a flag says otherwise. */
import { resolve } from "node:path";
import { stateFolder } from "../base/known-places.ts";
import type { Machine } from "./machine.ts";

/** State of a user that outlives restarts, by the XDG base directory specification. */
export function dataPath(given: string | undefined, machine: Machine): string {
  return given === undefined ? stateFolder(machine) : resolve(machine.workingDirectory, given);
}
