import { expect, test } from "vitest";
import { readSandbox, SANDBOX_DEFAULTS } from "./sandbox-flags.ts";

test("the default runtime is chosen by what a pod needs", () => {
  expect(readSandbox(SANDBOX_DEFAULTS)).toMatchObject({ defaultRuntime: "auto", sharedPaths: [] });
});

test.each([
  [{ defaultRuntime: "docker-in-docker" }, "--default-runtime must be"],
  [{ podCidr: "10.0.0.1" }, "--pod-cidr must be"],
  [{ podCidr: "fd00::/64" }, "--pod-cidr must be"],
  [{ podCidr: "10.0.0.0/30" }, "--pod-cidr must be"],
  [{ sandboxShare: ["data"] }, "--sandbox-share must be an absolute path"],
])("%j cannot be used", (flags, problem) => {
  expect(() => readSandbox({ ...SANDBOX_DEFAULTS, ...flags })).toThrow(problem);
});
