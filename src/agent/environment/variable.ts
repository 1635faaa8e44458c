/** Pure: what variables are to whoever composes them, and why a container cannot have its own. */

export type Variable = readonly [name: string, value: string];

/** By name; a later value of a name replaces the earlier one. */
export type Variables = ReadonlyMap<string, string>;

/** A container that cannot be created as it is: the reason and message of its waiting state. */
export interface ContainerProblem {
  readonly reason: "CreateContainerConfigError" | "CreateContainerError";
  readonly message: string;
}

export function configProblem(message: string): { readonly problem: ContainerProblem } {
  return { problem: { reason: "CreateContainerConfigError", message } };
}
