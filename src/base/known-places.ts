/**
 * Files of Tally that pods must not see: data directories, and kubeconfigs written elsewhere. Each
 * user has a list of them in a file below the home directory, so that a server can hide the files
 * of all servers on the machine, of the same or another user.
 */
import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

const LIST = "places";

/** Each place is one more mount for each sandbox. */
const MOST_PLACES = 256;
const MOST_BYTES = 1024 * 1024;

export interface Home {
  readonly home: string;
  readonly environment: { readonly [name: string]: string | undefined };
}

/** The directory of a user's list and, by default, of the data of the user's server. */
export function stateFolder({ home, environment }: Home): string {
  const state = environment["XDG_STATE_HOME"] ?? "";
  return join(isAbsolute(state) ? state : join(home, ".local", "state"), "tally");
}

const own = (): Home => ({ home: homedir(), environment: process.env });

/** Never fails: if the home is read-only or missing, there is no list. */
export function notePlace(path: string, around = own()): void {
  try {
    const file = join(stateFolder(around), LIST);
    const place = realpathSync(path);
    // Below a home that does not exist, for example in /proc, Node may try to create folders
    // forever.
    if (file.startsWith(around.home) && !isThere(around.home)) return;
    const listed = readList(file);
    if (listed.includes(place)) return;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Appended, so that two processes do not overwrite each other's entry.
    if (listed.length < MOST_PLACES) {
      appendFileSync(file, `${JSON.stringify(place)}\n`, { mode: 0o600 });
    } else {
      rewrite(file, [...listed.filter(isThere), place].slice(-MOST_PLACES));
    }
  } catch {
    // Ignored: see above.
  }
}

/**
 * The existing places in the list of that folder. Places with another owner than the list are left
 * out, so that a user cannot hide the files of others.
 */
export function knownPlaces(folder: string): readonly string[] {
  const file = join(folder, LIST);
  const list = lstat(file);
  if (!list?.isFile() || list.size > MOST_BYTES) return [];
  const places = readList(file).filter((place) => lstat(place)?.uid === list.uid);
  return places.slice(-MOST_PLACES);
}

/** Changes whenever the list in that folder changes. */
export function placesStamp(folder: string): string {
  const list = lstat(join(folder, LIST));
  return list ? `${list.ino} ${list.mtimeMs} ${list.size}` : "";
}

function readList(file: string): readonly string[] {
  try {
    const lines = readFileSync(file, "utf8").split("\n");
    return [...new Set(lines.flatMap(parseLine))];
  } catch {
    return [];
  }
}

function parseLine(line: string): readonly string[] {
  try {
    const place: unknown = JSON.parse(line);
    return typeof place === "string" && isAbsolute(place) && place !== "/" ? [place] : [];
  } catch {
    return [];
  }
}

function rewrite(file: string, places: readonly string[]): void {
  const fresh = `${file}.${randomBytes(8).toString("hex")}`;
  const text = places.map((place) => `${JSON.stringify(place)}\n`).join("");
  writeFileSync(fresh, text, { mode: 0o600, flag: "wx" });
  renameSync(fresh, file);
}

function isThere(place: string): boolean {
  return lstat(place) !== undefined;
}

function lstat(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
