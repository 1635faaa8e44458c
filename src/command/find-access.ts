/** Which server a command means: the kubeconfig it names, that of the environment, or our own. */
import { type ClientAccess, readKubeconfig } from "../access/read-kubeconfig.ts";
import { ensureOwnDirectory } from "../base/own-directory.ts";
import { dataPath } from "./data-path.ts";
import type { Machine } from "./machine.ts";

export interface AccessFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Undefined where there is no kubeconfig at all. */
export function findAccess(
  { kubeconfig, context }: AccessFlags,
  machine: Machine,
): Promise<ClientAccess | undefined> {
  const listed = machine.environment["KUBECONFIG"];
  const dataDirectory = dataPath(undefined, machine);
  // A kubeconfig may name a program to ask for credentials.
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
