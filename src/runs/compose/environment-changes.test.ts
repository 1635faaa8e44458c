import { expect, test } from "vitest";
import type { RunEnvironment } from "../../api/run-environment.ts";
import { environmentChanges } from "./environment-changes.ts";

const environment = (
  variables: { readonly [name: string]: string },
  change: Partial<RunEnvironment> = {},
): RunEnvironment => ({
  variables: Buffer.from(
    Object.entries(variables)
      .map(([name, value]) => `${name}=${value}\0`)
      .join(""),
  ),
  workingDirectory: "/here",
  umask: "0022",
  limits: "core=0:unlimited nofile=1024:4096",
  ...change,
});

test("the same environment in another order is no change", () => {
  const one = environment({ A: "1", B: "2" });
  expect(environmentChanges(one, environment({ B: "2", A: "1" }, { umask: "022" }))).toBe(
    undefined,
  );
});

test("names of what was added, removed or changed are given, and no values", () => {
  const former = environment({ KEPT: "same", TOKEN: "secret-one", GONE: "secret-two" });
  const next = environment({ KEPT: "same", TOKEN: "secret-three", NEW: "secret-four" });
  expect(environmentChanges(former, next)).toBe("environment changed: GONE, NEW, TOKEN");
});

test("directory, umask and limits are told apart", () => {
  const next = environment(
    {},
    { workingDirectory: "/there", umask: "0077", limits: "core=0:0 nofile=1024:4096 as=1:2" },
  );
  expect(environmentChanges(environment({}), next)).toBe(
    "working directory changed; umask changed; limits changed: as, core",
  );
});

test("many names are counted, and odd ones cannot reach the terminal", () => {
  const many = Object.fromEntries(Array.from({ length: 13 }, (_, n) => [`V${10 + n}`, "x"]));
  expect(environmentChanges(environment({}), environment(many))).toBe(
    "environment changed: V10, V11, V12, V13, V14, V15, V16, V17, V18, V19 and 3 more",
  );
  expect(environmentChanges(environment({}), environment({ "A\u001b[2J": "x" }))).toBe(
    "environment changed: A?[2J",
  );
});
