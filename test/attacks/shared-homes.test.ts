/** Pods of a shared server look for files of the host's users. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { Cluster, script, until } from "../agent/cluster.ts";
import { withoutSandboxes } from "../support/sandboxes.ts";

const LOOK = `ls -a /home ${homedir()} /tmp /var/tmp /run; cat`;

test.skipIf(withoutSandboxes)(
  "homes and temporary directories are empty in pods of a shared server",
  async () => {
    const made = [tmpdir(), "/var/tmp", homedir()].map((parent) =>
      mkdtempSync(path.join(parent, "secret-of-host-")),
    );
    const [open = ""] = made;
    for (const directory of made) writeFileSync(path.join(directory, "key"), "a key\n");
    const cluster = await Cluster.start({ args: ["--shared", `--sandbox-share=${open}`] });
    try {
      const files = made.map((directory) => path.join(directory, "key")).join(" ");
      await cluster.createPod("p", { containers: [script(`${LOOK} ${files}; true`)] });
      await until(async () => (await cluster.findPod("p"))?.status.phase === "Succeeded");
      const seen = await cluster.log("p");
      const names = made.map((directory) => path.basename(directory));
      const lines = seen.split("\n");
      expect(names.filter((name) => lines.includes(name))).toEqual([path.basename(open)]);
      expect(lines.filter((line) => line === "a key")).toHaveLength(1);
    } finally {
      await cluster.dispose();
      for (const directory of made) rmSync(directory, { recursive: true, force: true });
    }
  },
);
