/**
 * Finds the programs of a real control plane: each from $KUBEBUILDER_ASSETS if that has it, else
 * from the cache, else etcd from Debian and the others built with Go from the module in binaries/.
 * Nothing is stored in the source tree.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { debianProgram } from "../support/debian-package.ts";
import { projectFile } from "../support/project-file.ts";

export interface Binaries {
  readonly etcd: string;
  readonly apiServer: string;
  readonly controllerManager: string;
  readonly scheduler: string;
}

export type FoundBinaries = Binaries | { readonly missing: string };

const VERSION = "1.36.4";
const CACHE = path.join(
  process.env["XDG_CACHE_HOME"] || path.join(homedir(), ".cache"),
  "tally-test",
);
const BUILT = path.join(CACHE, `kubernetes-${VERSION}`);

/** A build takes long: $TALLY_TEST_BUILD=no skips it. */
export async function findBinaries(): Promise<FoundBinaries> {
  const mayBuild = process.env["TALLY_TEST_BUILD"] !== "no";
  try {
    return {
      etcd: asset("etcd") ?? (await debianEtcd()),
      apiServer: asset("kube-apiserver") ?? (await built("kube-apiserver", mayBuild)),
      controllerManager:
        asset("kube-controller-manager") ?? (await built("kube-controller-manager", mayBuild)),
      scheduler: asset("kube-scheduler") ?? (await built("kube-scheduler", mayBuild)),
    };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

function asset(name: string): string | undefined {
  const directory = process.env["KUBEBUILDER_ASSETS"];
  const file = directory && path.join(directory, name);
  return file && existsSync(file) ? file : undefined;
}

function debianEtcd(): Promise<string> {
  return debianProgram({
    debianPackage: "etcd-server",
    file: "usr/bin/etcd",
    directory: path.join(CACHE, "etcd"),
  });
}

let building: Promise<void> | undefined;

async function built(name: string, mayBuild: boolean): Promise<string> {
  const file = path.join(BUILT, name);
  if (existsSync(file)) return file;
  if (!mayBuild) throw new Error(`${name} is not built yet (npm run test:cluster builds it)`);
  building ??= build();
  await building;
  return file;
}

/** Builds all three at once: they share most of the code to compile, which takes many minutes. */
async function build(): Promise<void> {
  await mkdir(BUILT, { recursive: true });
  const staging = await mkdtemp(path.join(BUILT, "staging-"));
  const [major, minor] = VERSION.split(".");
  const facts = { gitVersion: `v${VERSION}`, gitMajor: major, gitMinor: minor };
  const named = Object.entries(facts).map(([name, value]) => `-X ${FACTS}.${name}=${value}`);
  const ldflags = ["-s", "-w", ...named].join(" ");
  try {
    process.stderr.write(`building Kubernetes ${VERSION} for the tests, once\n`);
    await promisify(execFile)("go", ["build", "-ldflags", ldflags, "-o", `${staging}/`, "./..."], {
      cwd: projectFile("test/cluster/binaries"),
      env: { ...process.env, GOFLAGS: "-mod=readonly -buildvcs=false" },
      maxBuffer: 64 * 1024 * 1024,
    });
    for (const name of await readdir(staging)) {
      await rename(path.join(staging, name), path.join(BUILT, name));
    }
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

const FACTS = "k8s.io/component-base/version";
