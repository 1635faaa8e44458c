import { expect, test } from "vitest";
import { composeCommand } from "./command.ts";

const VARIABLES = new Map([["JOB_COMPLETION_INDEX", "3"]]);

test.each<[string, { command?: string[]; args?: string[] }, string[]]>([
  ["a command", { command: ["echo", "a"] }, ["echo", "a"]],
  ["its arguments after it", { command: ["sh", "-c"], args: ["exit 0"] }, ["sh", "-c", "exit 0"]],
  [
    "references in both",
    {
      command: ["run-$(JOB_COMPLETION_INDEX)"],
      args: ["$(JOB_COMPLETION_INDEX)", "$(NONE)", "$$"],
    },
    ["run-3", "3", "$(NONE)", "$"],
  ],
  [
    "shell variables as they are",
    { command: ["sh", "-c", "echo $A ${B $(C"] },
    ["sh", "-c", "echo $A ${B $(C"],
  ],
])("runs %s", (_, given, command) => {
  expect(composeCommand({ name: "c", image: "i", ...given }, VARIABLES)).toEqual({ command });
});

test.each([
  [{}, "has no command"],
  [{ command: [] }, "has no command"],
  [{ args: ["a"] }, "has args but no command"],
])("a container with %j has nothing to run, and is told what to do", (given, missing) => {
  const answer = composeCommand({ name: "main", image: "busybox:1.36", ...given }, VARIABLES);
  expect(answer).toEqual({
    problem: {
      reason: "CreateContainerError",
      message:
        `container "main" ${missing}: its image "busybox:1.36" is not used, ` +
        "so neither is its entrypoint; set its command",
    },
  });
});
