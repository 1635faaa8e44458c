/** Pure: what a container runs. */
import type { Container } from "../../api/generated/core.ts";
import { expandAll } from "./expansion.ts";
import type { ContainerProblem, Variables } from "./variable.ts";

/** The command and the arguments apart, of a container whose image has some too. */
export function composeParts(
  { command = [], args = [] }: Pick<Container, "command" | "args">,
  variables: Variables,
): { readonly command: readonly string[]; readonly args: readonly string[] } {
  return { command: expandAll(command, variables), args: expandAll(args, variables) };
}

/** The command with its arguments; both may refer to the container's variables. */
export function composeCommand(
  { name, image, command = [], args = [] }: Pick<Container, "name" | "image" | "command" | "args">,
  variables: Variables,
): { readonly command: readonly string[] } | { readonly problem: ContainerProblem } {
  if (command.length > 0) {
    return { command: expandAll([...command, ...args], variables) };
  }
  const missing = args.length > 0 ? "has args but no command" : "has no command";
  const why = `its image ${JSON.stringify(image ?? "")} is not used, so neither is its entrypoint`;
  const message = `container ${JSON.stringify(name)} ${missing}: ${why}; set its command`;
  return { problem: { reason: "CreateContainerError", message } };
}
