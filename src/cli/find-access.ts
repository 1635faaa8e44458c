/** Which server a command means: the kubeconfig it names, that of the environment, or our own. */
import { type ClientAccess, readKubeconfig } from "../access/read-kubeconfig.ts";
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
  return readKubeconfig({
    ...(kubeconfig === undefined ? {} : { given: kubeconfig }),
    ...(listed === undefined ? {} : { environment: listed }),
    ...(context === undefined ? {} : { context }),
    dataDirectory: dataPath(undefined, machine),
    home: machine.home,
    workingDirectory: machine.workingDirectory,
  });
}
