/** Finds the server of a command: by --kubeconfig, by KUBECONFIG, or that of `tally up`. */
import { type ClientAccess, readKubeconfig } from "../access/read-kubeconfig.ts";
import { ensureOwnDirectory } from "../base/own-directory.ts";
import { dataPath } from "./data-path.ts";
import type { Machine } from "./machine.ts";

export interface AccessFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Undefined if there is no kubeconfig. */
export function findAccess(
  { kubeconfig, context }: AccessFlags,
  machine: Machine,
): Promise<ClientAccess | undefined> {
  const listed = machine.environment["KUBECONFIG"];
  const dataDirectory = dataPath(undefined, machine);
  // A kubeconfig may name a program to execute, so that the directory must be the user's own.
  if (kubeconfig === undefined && !listed) ensureOwnDirectory(dataDirectory);
  return readKubeconfig({
    ...(kubeconfig === undefined ? {} : { given: kubeconfig }),
    ...(listed === undefined ? {} : { environment: listed }),
    ...(context === undefined ? {} : { context }),
    dataDirectory,
    home: machine.home,
    workingDirectory: machine.workingDirectory,
  });
}
