/** Pods in sandboxes: what every runtime does. Tests and containers share a directory. */
import { tmpdir } from "node:os";
import { describe } from "vitest";
import { withoutSandboxes } from "../support/sandboxes.ts";
import { runtimeContract } from "./runtime-contract.ts";

const args = ["--default-runtime=sandbox", `--sandbox-share=${tmpdir()}`];

describe.skipIf(withoutSandboxes)(`in sandboxes ${withoutSandboxes}`, () => {
  runtimeContract({ name: "sandbox", args });
});
