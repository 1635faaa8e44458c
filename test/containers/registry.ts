/** An image registry on this machine that requires a user name and a password. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "../cluster/component.ts";
import { hasTool } from "../support/debian-tool.ts";

export const LOGIN = { username: "tester", password: "secret" };
/** The bcrypt hash of this password. */
const HASH = "$2y$05$0zRWi3eLQk77XnslG/1YKOk3OUwl1vI57lh12mIAcDGtYjP2CcJt6";

export class Registry {
  private constructor(
    /** Such as "127.0.0.1:5000". */
    readonly address: string,
    private readonly directory: string,
    private readonly process: ChildProcess,
  ) {}

  static isThere(): boolean {
    return hasTool("docker-registry");
  }

  static async start(): Promise<Registry> {
    const directory = await mkdtemp(path.join(tmpdir(), "tally-registry-"));
    const address = `127.0.0.1:${await freePort()}`;
    const users = path.join(directory, "users");
    await writeFile(users, `${LOGIN.username}:${HASH}\n`);
    const settings = {
      version: "0.1",
      storage: { filesystem: { rootdirectory: path.join(directory, "images") } },
      http: { addr: address },
      auth: { htpasswd: { realm: "tests", path: users } },
    };
    const file = path.join(directory, "registry.yml");
    await writeFile(file, JSON.stringify(settings));
    const process = spawn("docker-registry", ["serve", file], { stdio: "ignore" });
    const registry = new Registry(address, directory, process);
    while (!(await registry.answers())) {
      if (process.exitCode !== null) throw new Error("the registry does not run");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return registry;
  }

  /** The digest of a tag: "sha256:…". */
  async digestOf(repository: string, tag: string): Promise<string> {
    const login = Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString("base64");
    const answer = await fetch(`http://${this.address}/v2/${repository}/manifests/${tag}`, {
      headers: { Authorization: `Basic ${login}`, Accept: MANIFESTS },
    });
    return answer.headers.get("docker-content-digest") ?? "";
  }

  async dispose(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill();
    await ended;
    await rm(this.directory, { recursive: true, force: true });
  }

  private async answers(): Promise<boolean> {
    try {
      return (await fetch(`http://${this.address}/v2/`)).status === 401;
    } catch {
      return false;
    }
  }
}

const MANIFESTS =
  "application/vnd.oci.image.manifest.v1+json, " +
  "application/vnd.docker.distribution.manifest.v2+json";
