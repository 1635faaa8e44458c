/**
 * A Podman for tests: its images, containers and networks are in its own directory, and its API is
 * served on a socket there. Nothing is pulled: the only image is made of busybox.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { copyFile, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { hasTool } from "../support/debian-tool.ts";

const execute = promisify(execFile);

/** The name of the image in manifests. */
export const BUSYBOX = "docker.io/library/busybox:1.36";

/** The limits stay within what is always allowed: raising them is often denied. */
const CONFIGURATION = `[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
`;

const REGISTRIES = "registries.conf";

export class Podman {
  private constructor(
    private readonly directory: string,
    private readonly service: ChildProcess,
  ) {}

  /** Whether Podman is installed, or could be. */
  static isThere(): boolean {
    return process.getuid?.() === 0 && PROGRAMS.every(([program, from]) => hasTool(program, from));
  }

  /** Uses this registry, such as "127.0.0.1:5000", without TLS. */
  static async start(registry?: string): Promise<Podman> {
    const directory = mkdtempSync(path.join(tmpdir(), "tally-podman-"));
    await writeFile(path.join(directory, "containers.conf"), CONFIGURATION);
    const plain = `[[registry]]\nlocation = "${registry}"\ninsecure = true\n`;
    await writeFile(path.join(directory, REGISTRIES), registry === undefined ? "" : plain);
    await importBusybox(directory);
    const address = `unix://${socketIn(directory)}`;
    const service = spawn(
      "podman",
      [...places(directory), "system", "service", "-t", "0", address],
      {
        env: environment(directory),
        stdio: "ignore",
      },
    );
    const podman = new Podman(directory, service);
    while (!existsSync(podman.socket)) {
      if (service.exitCode !== null) throw new Error("podman serves no API here");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return podman;
  }

  get socket(): string {
    return socketIn(this.directory);
  }

  /** Returns the output of the command. */
  run(...args: readonly string[]): Promise<string> {
    return podman(this.directory, args);
  }

  /** The names of everything beyond a fresh installation. */
  async left(): Promise<readonly string[]> {
    const list = async (...args: readonly string[]) => (await this.run(...args)).split("\n");
    const names = [
      ...(await list("ps", "-a", "--format", "container {{.Names}}")),
      ...(await list("network", "ls", "--format", "network {{.Name}}")),
      ...(await list("volume", "ls", "--format", "volume {{.Name}}")),
    ];
    return names.filter((name) => name !== "" && name !== "network podman");
  }

  async dispose(): Promise<void> {
    await this.run("rm", "-fa").catch(() => {});
    await this.run("network", "prune", "-f").catch(() => {});
    const ended = new Promise((resolve) => this.service.once("exit", resolve));
    this.service.kill();
    await ended;
    // The storage contains mounts, which "system reset" removes.
    await this.run("system", "reset", "-f").catch(() => {});
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Programs, and the Debian packages that contain them. */
const PROGRAMS = [
  ["podman", "podman"],
  ["runc", "runc"],
  ["iptables", "iptables"],
  ["/usr/lib/cni/bridge", "containernetworking-plugins"],
  ["busybox", "busybox-static"],
] as const;

async function importBusybox(directory: string): Promise<void> {
  const root = path.join(directory, "root");
  await mkdir(path.join(root, "bin"), { recursive: true });
  await mkdir(path.join(root, "tmp"), { mode: 0o1777 });
  const { stdout } = await execute("busybox", ["--list"]);
  const { stdout: found } = await execute("sh", ["-c", "command -v busybox"]);
  await copyFile(found.trim(), path.join(root, "bin/busybox"));
  for (const library of await librariesOf(found.trim())) {
    await mkdir(path.join(root, path.dirname(library)), { recursive: true });
    await copyFile(library, path.join(root, library));
  }
  for (const applet of stdout.split("\n")) {
    if (applet !== "" && applet !== "busybox") {
      await symlink("busybox", path.join(root, "bin", applet));
    }
  }
  const archive = path.join(directory, "root.tar");
  await execute("tar", ["-C", root, "-cf", archive, "."]);
  const change = 'CMD ["sh"]';
  await podman(directory, ["import", "--change", change, archive, BUSYBOX]);
}

/** Debian has two packages with busybox: one of them needs the C library. */
async function librariesOf(program: string): Promise<readonly string[]> {
  const ldd = execute("ldd", [program]);
  const { stdout } = await ldd.catch(() => ({ stdout: "" }));
  return stdout.match(/\/lib\S*/g) ?? [];
}

async function podman(directory: string, args: readonly string[]): Promise<string> {
  const all = [...places(directory), ...args];
  return (await execute("podman", all, { env: environment(directory) })).stdout;
}

function places(directory: string): string[] {
  return ["--root", path.join(directory, "storage"), "--runroot", path.join(directory, "run")];
}

function environment(directory: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    CONTAINERS_CONF: path.join(directory, "containers.conf"),
    CONTAINERS_REGISTRIES_CONF: path.join(directory, REGISTRIES),
  };
}

function socketIn(directory: string): string {
  return path.join(directory, "podman.sock");
}
