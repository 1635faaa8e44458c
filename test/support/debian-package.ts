/**
 * Fetches a program of a newer Debian release from the mirror that this machine already uses. Apt
 * gets its own lists, cache and sources, so that nothing is installed and the state of the system
 * does not change. The machine's apt configuration (proxies, timeouts) still applies.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";

export interface DebianProgram {
  readonly debianPackage: string;
  /** The path of the program in the package: "usr/bin/kubectl". */
  readonly file: string;
  /** The directory in which the program is cached. */
  readonly directory: string;
}

/**
 * Newest first: the tests prove more if the version of the program is close to the served version.
 */
const SUITES = ["sid", "trixie"];

const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** Returns the path of the program. Throws with the reason if it cannot be fetched. */
export async function debianProgram(program: DebianProgram): Promise<string> {
  const { directory, file } = program;
  const kept = path.join(directory, path.basename(file));
  if (existsSync(kept)) return kept;
  await mkdir(directory, { recursive: true });
  const staging = await mkdtemp(path.join(directory, "staging-"));
  try {
    await fetchFromAny(program.debianPackage, await mirrors(staging), staging);
    // If two test files fetch it concurrently, the last rename wins. Both files are the same.
    await rename(path.join(staging, "unpacked", file), kept);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return kept;
}

/** The addresses of the Debian archives in the machine's own apt sources, in their order. */
async function mirrors(staging: string): Promise<string[]> {
  const targets = await run(
    "apt-get",
    [
      "indextargets",
      // Without this option, apt omits an archive whose lists were never fetched.
      "--no-release-info",
      "--format",
      "$(REPO_URI) $(RELEASE) $(COMPONENT)",
      "Created-By: Packages",
    ],
    staging,
  );
  const addresses = targets
    .split("\n")
    .map((line) => line.split(" "))
    .filter(([, release, component]) => !release?.endsWith("-security") && component === "main")
    .flatMap(([address]) => address ?? []);
  if (addresses.length === 0) throw new Error("the sources of apt name no archive");
  return [...new Set(addresses)];
}

async function fetchFromAny(
  debianPackage: string,
  addresses: readonly string[],
  staging: string,
): Promise<void> {
  const failures: string[] = [];
  for (const address of addresses) {
    for (const suite of SUITES) {
      try {
        await fetchPackage(debianPackage, { address, suite }, staging);
        return;
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error));
      }
    }
  }
  throw new Error(failures.join("; "));
}

async function fetchPackage(
  debianPackage: string,
  { address, suite }: { readonly address: string; readonly suite: string },
  staging: string,
): Promise<void> {
  const sources = path.join(staging, `${suite}.list`);
  const signature = existsSync(KEYRING) ? `[signed-by=${KEYRING}] ` : "";
  await mkdir(path.join(staging, "state/lists/partial"), { recursive: true });
  await writeFile(sources, `deb ${signature}${address} ${suite} main\n`);
  const options = aptOptions(staging, sources);
  await run("apt-get", [...options, "update"], staging);
  await run("apt-get", [...options, "download", debianPackage], staging);
  const archive = (await readdir(staging)).find((name) => name.endsWith(".deb"));
  if (archive === undefined) throw new Error(`apt-get download of ${suite} left no package`);
  await run("dpkg-deb", ["-x", archive, "unpacked"], staging);
}

function aptOptions(staging: string, sources: string): string[] {
  const settings = {
    "Dir::Etc::sourcelist": sources,
    "Dir::Etc::sourceparts": "/dev/null",
    "Dir::Etc::preferences": "/dev/null",
    "Dir::Etc::preferencesparts": "/dev/null",
    "Dir::State": path.join(staging, "state"),
    "Dir::State::status": "/dev/null",
    "Dir::Cache": path.join(staging, "cache"),
    "Acquire::Languages": "none",
    "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
    "Acquire::http::Timeout": "20",
    "APT::Sandbox::User": "root",
    "APT::Update::Error-Mode": "any",
  };
  return Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
}

async function run(program: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    return (await promisify(execFile)(program, args, { cwd })).stdout;
  } catch (cause) {
    const { stderr = "", message } = cause as Error & { stderr?: string };
    const said = stderr.trim().split("\n").at(-1) || message;
    throw new Error(`${program} ${args.at(-1)}: ${said}`, { cause });
  }
}
