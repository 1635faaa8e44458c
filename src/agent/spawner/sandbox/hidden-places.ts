/**
 * What no container may see of the host: what this server keeps, the data directories and
 * kubeconfigs of every Tally that is known on this machine, and settings that the host keeps from
 * its own users, such as passwords and the keys of its services.
 */
import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { knownPlaces, placesStamp, stateFolder } from "../../../base/known-places.ts";
import { isWithin } from "./host-mounts.ts";

export interface HiddenPlace {
  /** Without symbolic links. */
  readonly path: string;
  readonly isFolder: boolean;
}

export interface HidingFacts {
  /** Of the server. */
  readonly dataDir: string;
  readonly environment: { readonly [name: string]: string | undefined };
  readonly isRoot: boolean;
  /** Where the host keeps its settings; absent: where Linux has them. */
  readonly settings?: string;
}

const OTHERS_READ = 0o004;
/** Deeper ones are in folders that are closed themselves. */
const SETTINGS_DEPTH = 2;
const SETTINGS_MS = 60_000;

/** By path; nothing that is in a folder which is hidden itself. */
export function findHiddenPlaces(facts: HidingFacts): readonly HiddenPlace[] {
  const found = new Map<string, HiddenPlace>();
  for (const { path, owner } of candidates(facts)) {
    const place = look(path, owner);
    if (place) found.set(place.path, place);
  }
  const sorted = [...found.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  return sorted.filter(
    ({ path }) =>
      !sorted.some((each) => each.isFolder && each.path !== path && isWithin(path, each.path)),
  );
}

/** Another one means that a Tally has noted a place since: what is hidden is to be found anew. */
export function stampOfPlaces(facts: HidingFacts): string {
  return stateFolders(facts, homesOf(facts)).map(placesStamp).join(" ");
}

/** Another user's files are closed to all but root. */
function homesOf({ isRoot }: HidingFacts): readonly string[] {
  return [...new Set([homedir(), ...(isRoot ? homesOfAll() : [])])];
}

function stateFolders({ environment }: HidingFacts, homes: readonly string[]): readonly string[] {
  const states = homes.map((home) => stateFolder({ home, environment: {} }));
  return [stateFolder({ home: homedir(), environment }), ...states];
}

interface Candidate {
  readonly path: string;
  /** Of whom it must be if links lead to it; absent: it is hidden whoever owns it. */
  readonly owner?: number;
}

function candidates(facts: HidingFacts): readonly Candidate[] {
  const { dataDir, environment, isRoot, settings = "/etc" } = facts;
  const listed = (environment["KUBECONFIG"] ?? "").split(delimiter).filter(isAbsolute);
  const homes = homesOf(facts);
  const folders = stateFolders(facts, homes);
  // A server that is not root cannot read the settings anyway.
  const own = [dataDir, ...listed, ...(isRoot ? closedSettings(settings) : [])];
  const users = [
    ...homes.map((home) => ({ home, paths: [join(home, ".kube", "config")] })),
    ...folders.map((folder) => ({ home: folder, paths: [folder, ...knownPlaces(folder)] })),
  ];
  return [
    ...own.map((path) => ({ path })),
    ...users.flatMap(({ home, paths }) => {
      const owner = lstatSync(home, QUIETLY)?.uid ?? -1;
      return paths.map((path) => ({ path, owner }));
    }),
  ];
}

const QUIETLY = { throwIfNoEntry: false } as const;

interface ClosedSettings {
  readonly folder: string;
  readonly paths: readonly string[];
  readonly sinceMs: number;
}

let known: ClosedSettings | undefined;

/** They rarely change, and to look for them takes some milliseconds. */
function closedSettings(folder: string): readonly string[] {
  const nowMs = performance.now();
  if (known?.folder !== folder || nowMs - known.sinceMs > SETTINGS_MS) {
    known = { folder, paths: closedIn(folder, SETTINGS_DEPTH), sinceMs: nowMs };
  }
  return known.paths;
}

/** What not every user of the host may read. */
function closedIn(folder: string, depth: number): readonly string[] {
  return namesIn(folder).flatMap((name) => {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found || found.isSymbolicLink()) return [];
    if ((found.mode & OTHERS_READ) === 0) return [path];
    return found.isDirectory() && depth > 1 ? closedIn(path, depth - 1) : [];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Of the users that can log in and of those that only run services. */
function homesOfAll(): readonly string[] {
  try {
    const lines = readFileSync("/etc/passwd", "utf8").split("\n");
    const homes = lines.flatMap((line) => line.split(":")[5] ?? []);
    return homes.filter((home) => isAbsolute(home) && home !== "/");
  } catch {
    return [];
  }
}

/** Users cannot hide what is not theirs by a link: programs of the host, for example. */
function look(path: string, owner?: number): HiddenPlace | undefined {
  try {
    const real = realpathSync(path);
    const { uid } = statSync(real);
    if (real === "/" || (owner !== undefined && uid !== owner)) return undefined;
    return { path: real, isFolder: statSync(real).isDirectory() };
  } catch {
    // It is not there.
    return undefined;
  }
}
