/** The data directory of a server: that of --data, or the default. */
import { resolve } from "node:path";
import { stateFolder } from "../base/known-places.ts";
import type { Machine } from "./machine.ts";

/** The default is the state directory of the XDG base directory specification. */
export function dataPath(given: string | undefined, machine: Machine): string {
  return given === undefined ? stateFolder(machine) : resolve(machine.workingDirectory, given);
}
