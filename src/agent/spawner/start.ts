/**
 * Starts the spawner's process. That takes as long as loading the server does, so whoever knows
 * that there will be a server may start it before; a second one for a directory ends by itself.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { withoutInherited } from "../../base/descriptors.ts";
import { ensureOwnFolder } from "../../base/own-directory.ts";
import { packageFile } from "../../base/package-file.ts";
import { socketAddress } from "./address.ts";
import { NO_CGROUPS } from "./protocol.ts";

export interface SpawnerBuild {
  /** The bundle of main.ts. */
  readonly spawnerFile: string;
  /** Of the bundle: a spawner of another one is asked to retire. */
  readonly version: string;
  /** Another answer is another version. */
  readonly usesCgroups: boolean;
}

export interface Started {
  isOver(): boolean;
  problem(): string;
}

/** The bundled spawner that comes with the package, unless another is given. */
export function spawnerBuild(
  usesCgroups: boolean,
  spawnerFile = packageFile("dist", "spawner.js"),
): SpawnerBuild {
  const version = `${hashOf(spawnerFile)}${usesCgroups ? "" : "-plain"}`;
  return { spawnerFile, version, usesCgroups };
}

/** A spawner of another build than ours makes room for one of ours. */
function hashOf(spawnerFile: string): string {
  const hash = createHash("sha256").update(readFileSync(spawnerFile));
  // What it shares with the server is in other files; the build notes what all were made of.
  const sources = join(dirname(spawnerFile), ".source-hash");
  if (existsSync(sources)) hash.update(readFileSync(sources));
  return hash.digest("hex").slice(0, 16);
}

/** By directory: those that were started before anybody asked for them. */
const early = new Map<string, Started>();

export function startSpawnerEarly(directory: string, usesCgroups: boolean): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  ensureOwnFolder(directory);
  if (existsSync(socketAddress(directory))) return;
  early.set(directory, startSpawner(directory, spawnerBuild(usesCgroups)));
}

/** Once: if it has to be started again, it was none that could be waited for. */
export function takeEarly(directory: string): Started | undefined {
  const started = early.get(directory);
  early.delete(directory);
  return started;
}

/** Less room for what is young: each slot is a fork of all its memory. */
const SMALL = ["--max-semi-space-size=1"];

export function startSpawner(directory: string, build: SpawnerBuild): Started {
  const { spawnerFile, version, usesCgroups } = build;
  const log = openSync(join(directory, "spawner.log"), "a", 0o600);
  const args = [directory, version, `${process.pid}`, ...(usesCgroups ? [] : [NO_CGROUPS])];
  const child = withoutInherited(["ignore", "ignore", log], (stdio) =>
    // Neither the end of the server nor an interrupt at its terminal is one of the runs.
    spawn(process.execPath, [...SMALL, spawnerFile, ...args], {
      detached: true,
      cwd: directory,
      stdio,
    }),
  );
  closeSync(log);
  let problem: string | undefined;
  child.once("exit", (code, signal) => {
    problem = `it ended with ${signal ?? code}, see ${join(directory, "spawner.log")}`;
  });
  child.once("error", (error) => {
    problem = error.message;
  });
  child.unref();
  return { isOver: () => problem !== undefined, problem: () => problem ?? "it is not up yet" };
}
