/** A server started without KUBECONFIG does not touch the user's own kubeconfig. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startTally } from "../support/tally.ts";
import { findKubectl } from "./find-kubectl.ts";

const THEIRS = `# mine
apiVersion: v1
kind: Config
current-context: mine
clusters: [{name: mine, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: me, user: {}}]
contexts: [{name: mine, context: {cluster: mine, user: me}}]
`;

test("the user's kubeconfig is neither changed nor used", async () => {
  const home = await mkdtemp(path.join(tmpdir(), "tally-home-"));
  const config = path.join(home, ".kube/config");
  await mkdir(path.dirname(config));
  await writeFile(config, THEIRS);
  const before = await stat(config);
  const tally = await startTally({
    args: ["--no-agent", "--controllers=none"],
    env: { HOME: home, KUBECONFIG: "", XDG_STATE_HOME: "" },
  });
  try {
    const found = await findKubectl();
    if ("path" in found) {
      const run = (args: string[], env: Record<string, string>) =>
        promisify(execFile)(found.path, args, {
          env: { PATH: process.env["PATH"] ?? "", HOME: home, ...env },
        });
      const context = await run(["config", "current-context"], {});
      expect(context.stdout).toBe("mine\n");
      const named = await run(["get", "ns", "default"], { KUBECONFIG: tally.kubeconfig });
      expect(named.stdout).toMatch(/^default +Active /m);
    }
  } finally {
    await tally.dispose();
  }
  expect(await readFile(config, "utf8")).toBe(THEIRS);
  expect((await stat(config)).mtimeMs).toBe(before.mtimeMs);
  // The list of paths that pods must not see is below the home directory, too.
  expect((await readdir(home)).sort()).toEqual([".kube", ".local"]);
  await rm(home, { recursive: true });
});
