/**
 * The image built from the Dockerfile with Podman: its contents, and that it needs no privileges.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importNodeBase, NODE_BASE } from "../containers/node-base.ts";
import { Podman } from "../containers/podman.ts";
import { projectFile } from "../support/project-file.ts";

const podman = Podman.isThere() ? await Podman.start() : undefined;
const IMAGE = "localhost/tallyjob:test";

describe.runIf(podman !== undefined)("the image", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "tally-image-"));
    if (podman) await build(podman, directory);
  });
  afterAll(async () => {
    await podman?.dispose();
    await rm(directory, { recursive: true, force: true });
  });

  /** The restrictions with which the Deployment runs it. */
  const restricted = ["--read-only", "--read-only-tmpfs=false", "--cap-drop=ALL", "--network=none"];
  const run = (args: readonly string[], entrypoint: readonly string[] = []) =>
    podman?.run("run", "--rm", ...restricted, ...entrypoint, IMAGE, ...args) ?? "";

  test("prints its version and help on a read-only file system", async () => {
    expect(await run(["version"])).toMatch(/^tally \d/);
    expect(await run(["controller", "--help"])).toContain("--leader-elect");
    const script = "id -u; touch /tally/x /tmp/x 2> /dev/null || echo read-only";
    expect(await run(["-c", script], ["--entrypoint=sh"])).toBe("65532\nread-only\n");
  });

  test("contains the manifests, and prints the same ones as the sources", async () => {
    const args = ["install", "--dry-run", "--image", "tallyjob"];
    const own = await promisify(execFile)(process.execPath, [projectFile("dist/main.js"), ...args]);
    expect(await run(args)).toBe(own.stdout);
  });

  test("contains the packages that Tally loads, and no development packages", async () => {
    const listed = await run(["/tally", "/tally/node_modules"], ["--entrypoint=ls"]);
    const words = listed.split(/\s+/);
    for (const there of ["dist", "schema", "deploy", "LICENSE", "lmdb", "yaml"]) {
      expect(words).toContain(there);
    }
    for (const absent of ["src", "scripts", "rolldown", "typescript", "vitest", "@biomejs"]) {
      expect(words).not.toContain(absent);
    }
  });
});

async function build(podman: Podman, directory: string): Promise<void> {
  await importNodeBase(podman, directory);
  // Packages come from npm's cache, if they are in it. The cache itself is not changed.
  const { stdout } = await promisify(execFile)("npm", ["config", "get", "cache"]);
  const cache = `--volume=${stdout.trim()}:/root/.npm:O`;
  const base = `--build-arg=BASE=${NODE_BASE}`;
  await podman.run("build", "--network=host", cache, base, "--tag", IMAGE, projectFile("."));
  const sizeOf = async (image: string) =>
    Number(await podman.run("image", "inspect", "--format", "{{.Size}}", image));
  const [whole, bare] = [await sizeOf(IMAGE), await sizeOf(NODE_BASE)];
  const inMiB = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  process.stderr.write(`the image: ${inMiB(whole)}, ${inMiB(whole - bare)} over its base\n`);
}
