import { expect, test } from "vitest";
import { readSharing } from "./sharing-flags.ts";
import { readUpFlags, UP_DEFAULTS } from "./up-flags.ts";

const shared = { ...UP_DEFAULTS, shared: true };

test("a shared server runs pods in sandboxes and allows sandboxes and engines", () => {
  const { sharing, agent } = readUpFlags(shared);
  expect(sharing).toEqual({ allowedRuntimes: ["sandbox", "engine"] });
  expect(agent?.sandbox.defaultRuntime).toBe("sandbox");
});

test("a server that is not shared allows everything", () => {
  const { sharing, agent } = readUpFlags(UP_DEFAULTS);
  expect(sharing).toBeUndefined();
  expect(agent?.sandbox.defaultRuntime).toBe("auto");
});

test("allowed runtimes are a list of names", () => {
  const allowedRuntimes = "sandbox, process,sandbox";
  expect(readSharing({ ...shared, allowedRuntimes })).toEqual({
    allowedRuntimes: ["sandbox", "process"],
  });
});

test.each<[object, RegExp]>([
  [{ shared: false, allowedRuntimes: "sandbox" }, /--allowed-runtimes needs --shared/],
  [{ allowedRuntimes: "sandbox,other" }, /--allowed-runtimes must be some of process, sandbox/],
  [{ allowedRuntimes: "engine" }, /--default-runtime must be one of --allowed-runtimes/],
  [{ allowedRuntimes: "process,sandbox", defaultRuntime: "process" }, /may not be the default/],
  [{ authorizationMode: "AlwaysAllow" }, /--shared needs --authorization-mode=RBAC/],
  [{ insecurePort: "0" }, /--shared excludes --insecure-port/],
])("%j is called wrongly", (flags, problem) => {
  expect(() => readSharing({ ...shared, ...flags })).toThrow(problem);
});
