/** Pods in sandboxes: the contract of all runtimes. Tests and containers share a directory. */
import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { withoutSandboxes } from "../support/sandboxes.ts";
import { Cluster, script } from "./cluster.ts";
import { runtimeContract } from "./runtime-contract.ts";

const args = ["--default-runtime=sandbox", `--sandbox-share=${tmpdir()}`];

describe.skipIf(withoutSandboxes)(`in sandboxes ${withoutSandboxes}`, () => {
  runtimeContract({ name: "sandbox", args });

  test("a shared directory hides the server's data and the roots of sandboxes", async () => {
    const cluster = await Cluster.start({ args });
    try {
      const { dataDir } = cluster.tally;
      const mounts = "cut -d ' ' -f 5 /proc/self/mountinfo | grep -c sandboxes";
      const text = `ls -A ${dataDir} | wc -l; ${mounts}`;
      // The second pod reuses the sandbox of the first.
      for (const name of ["first", "second"]) {
        await cluster.createPod(name, { containers: [script(text)] });
        await cluster.over(name);
        expect(await cluster.log(name)).toBe("0\n0\n");
      }
    } finally {
      await cluster.dispose();
    }
  });
});
