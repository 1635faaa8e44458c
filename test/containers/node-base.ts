/**
 * The base image of Tally's Dockerfile, made from this machine's own Node: nothing is pulled. It
 * has npm, a shell and the C library, as Node's images have, and this machine's certificate
 * authorities.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { Podman } from "./podman.ts";

const execute = promisify(execFile);

export const NODE_BASE = "localhost/node-base:20";

/** `directory` must be empty. */
export async function importNodeBase(podman: Podman, directory: string): Promise<void> {
  const root = path.join(directory, "root");
  await copyNode(root);
  await copyShell(root);
  for (const file of await libraries()) await copyTo(root, file);
  await writeSettings(root);
  const archive = path.join(directory, "node-base.tar");
  await execute("tar", ["-C", root, "-cf", archive, "."]);
  await podman.run("import", "--change", "ENV PATH=/usr/local/bin:/bin", archive, NODE_BASE);
}

async function copyNode(root: string): Promise<void> {
  const bin = path.join(root, "usr/local/bin");
  await mkdir(bin, { recursive: true });
  await cp(process.execPath, path.join(bin, "node"));
  const npm = path.resolve(await realpath(await locate("npm")), "../..");
  await cp(npm, path.join(root, "usr/local/lib/node_modules/npm"), { recursive: true });
  await symlink("../lib/node_modules/npm/bin/npm-cli.js", path.join(bin, "npm"));
}

async function copyShell(root: string): Promise<void> {
  await mkdir(path.join(root, "bin"), { recursive: true });
  await mkdir(path.join(root, "usr/bin"), { recursive: true });
  await cp(await locate("busybox"), path.join(root, "bin/busybox"));
  for (const applet of ["sh", "ls", "id", "touch", "find", "du"]) {
    await symlink("busybox", path.join(root, "bin", applet));
  }
  await symlink("/bin/busybox", path.join(root, "usr/bin/env"));
}

/** The libraries that Node links, and the rest of the C library, which packages may load. */
async function libraries(): Promise<readonly string[]> {
  const { stdout } = await execute("ldd", [process.execPath]);
  const named = stdout.match(/\/lib\S*/g) ?? [];
  const folder = path.dirname(named.find((file) => file.endsWith("/libc.so.6")) ?? "");
  const more = ["librt.so.1", "libdl.so.2", "libutil.so.1", "libresolv.so.2", "libnss_dns.so.2"];
  return [...named, ...more.map((name) => path.join(folder, name)).filter(existsSync)];
}

async function writeSettings(root: string): Promise<void> {
  const authorities = "/etc/ssl/certs/ca-certificates.crt";
  if (existsSync(authorities)) await copyTo(root, authorities);
  for (const folder of ["tmp", "root", "etc", "usr/local/etc"]) {
    await mkdir(path.join(root, folder), { recursive: true });
  }
  await writeFile(path.join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  await writeFile(path.join(root, "etc/group"), "root:x:0:\n");
  const npmrc = `prefer-offline=true\n${existsSync(authorities) ? `cafile=${authorities}\n` : ""}`;
  await writeFile(path.join(root, "usr/local/etc/npmrc"), npmrc);
}

async function copyTo(root: string, file: string): Promise<void> {
  await mkdir(path.join(root, path.dirname(file)), { recursive: true });
  await cp(await realpath(file), path.join(root, file));
}

async function locate(program: string): Promise<string> {
  return (await execute("sh", ["-c", `command -v ${program}`])).stdout.trim();
}
