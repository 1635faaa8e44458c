/**
 * Bundles the programs that must run outside the test runner: the spawner, and a server to kill.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

const ROOT = resolve(import.meta.dirname, "../..");

export interface Bundled {
  readonly spawner: string;
  /** The child process that holds exec and attach streams. */
  readonly streams: string;
  readonly owner: string;
  dispose(): Promise<void>;
}

export async function bundleProcesses(): Promise<Bundled> {
  await mkdir(join(ROOT, ".cache"), { recursive: true });
  const directory = await mkdtemp(join(ROOT, ".cache", "agent-"));
  const input = {
    spawner: join(ROOT, "src/agent/spawner/main.ts"),
    streams: join(ROOT, "src/agent/streams/child/main.ts"),
    owner: join(ROOT, "test/agent/runtime-owner.ts"),
  };
  const made = await rolldown({ input, platform: "node", cwd: ROOT });
  await made.write({ dir: directory, format: "esm" });
  await made.close();
  return {
    spawner: join(directory, "spawner.js"),
    streams: join(directory, "streams.js"),
    owner: join(directory, "owner.js"),
    dispose: () => rm(directory, { recursive: true, force: true }),
  };
}
