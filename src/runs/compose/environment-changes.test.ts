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

test("another order of variables is not a change", () => {
  const one = environment({ A: "1", B: "2" });
  expect(environmentChanges(one, environment({ B: "2", A: "1" }, { umask: "022" }))).toBe(
    undefined,
  );
});

test("added, removed and changed variables are listed by name, without values", () => {
  const former = environment({ KEPT: "same", TOKEN: "secret-one", GONE: "secret-two" });
  const next = environment({ KEPT: "same", TOKEN: "secret-three", NEW: "secret-four" });
  expect(environmentChanges(former, next)).toBe("environment changed: GONE, NEW, TOKEN");
});

test("changes of directory, umask and limits are reported separately", () => {
  const next = environment(
    {},
    { workingDirectory: "/there", umask: "0077", limits: "core=0:0 nofile=1024:4096 as=1:2" },
  );
  expect(environmentChanges(environment({}), next)).toBe(
    "working directory changed; umask changed; limits changed: as, core",
  );
});

test("a long list of names is cut, and control characters are replaced", () => {
  const many = Object.fromEntries(Array.from({ length: 13 }, (_, n) => [`V${10 + n}`, "x"]));
  expect(environmentChanges(environment({}), environment(many))).toBe(
    "environment changed: V10, V11, V12, V13, V14, V15, V16, V17, V18, V19 and 3 more",
  );
  expect(environmentChanges(environment({}), environment({ "A\u001b[2J": "x" }))).toBe(
    "environment changed: A?[2J",
  );
});
