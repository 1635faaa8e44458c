/** A container that asks for the rights by which a sandbox is left. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Cluster, script, until } from "../agent/cluster.ts";
import { withoutSandboxes } from "../support/sandboxes.ts";

describe.skipIf(withoutSandboxes)(`out of a sandbox ${withoutSandboxes}`, () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await Cluster.start({ args: ["--default-runtime=sandbox"] });
  });
  afterEach(() => cluster.dispose());

  const asking = (text: string, add: readonly string[]) => ({
    containers: [script(text, { securityContext: { capabilities: { add } } })],
  });

  test("lead no roots of other processes in its tree", async () => {
    // The data directory is hidden in the root of the container, but not in that of the host.
    const { dataDir } = cluster.tally;
    const text = `for each in /proc/[0-9]*/root /proc/[0-9]*/cwd; do
        ls -d $each${dataDir}/token $each/../../../..${dataDir}/token
      done; cat /proc/1/environ /proc/1/maps; echo looked`;
    for (const add of [["SYS_PTRACE"], ["ALL"]]) {
      const name = add.join("").toLowerCase().replace("_", "-");
      await cluster.createPod(name, asking(`{ ${text}; } 2>/dev/null`, add));
      await cluster.over(name);
      expect(await cluster.log(name)).toBe("looked\n");
      const notice = /^CapabilityNotGiven: .* not given: .*SYS_PTRACE/;
      await until(async () => (await cluster.eventsOf(name)).some((each) => notice.test(each)));
    }
  });

  test.each(["/proc/1/root", "/proc/1/cwd", "../../../../../.."])(
    "leads no working directory %s",
    async (workingDir) => {
      const { dataDir } = cluster.tally;
      const text = `ls .${dataDir} ../../../../..${dataDir}; echo looked`;
      await cluster.createPod("inside", { containers: [script(text, { workingDir })] });
      await cluster.over("inside");
      const seen = (await cluster.log("inside")).split("\n");
      expect(seen.filter((line) => ["token", "pki", "store"].includes(line))).toEqual([]);
    },
  );

  test.each(["DAC_READ_SEARCH", "SYS_CHROOT", "MKNOD", "SYS_ADMIN", "SYS_MODULE", "BPF"])(
    "leads no %s: the pod is refused",
    async (capability) => {
      await cluster.createPod("asking", asking("true", [capability]));
      const { status } = await cluster.over("asking");
      expect(status.phase).toBe("Failed");
      expect(status.message).toContain(
        `capability ${capability} (it opens the host, which a sandbox cannot prevent)`,
      );
    },
  );
});
