/**
 * Where Tally has put something that pods must not see: data directories, and kubeconfigs that were
 * written elsewhere. Each user has a list of his own, in a file below his home, so that the server
 * of one user can hide what another server of his, or of somebody else, has written.
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

/** One more is a mount more for each sandbox. */
const MOST_PLACES = 256;
const MOST_BYTES = 1024 * 1024;

export interface Home {
  readonly home: string;
  readonly environment: { readonly [name: string]: string | undefined };
}

/** Where a user's list and, unless told otherwise, the data of his server are. */
export function stateFolder({ home, environment }: Home): string {
  const state = environment["XDG_STATE_HOME"] ?? "";
  return join(isAbsolute(state) ? state : join(home, ".local", "state"), "tally");
}

const own = (): Home => ({ home: homedir(), environment: process.env });

/** Never an obstacle: a home that is read-only, or not there, has no list. */
export function notePlace(path: string, around = own()): void {
  try {
    const file = join(stateFolder(around), LIST);
    const place = realpathSync(path);
    // Below a home that is not there, such as one in /proc, Node may try to make folders for ever.
    if (file.startsWith(around.home) && !isThere(around.home)) return;
    const listed = readList(file);
    if (listed.includes(place)) return;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // Appended, so that of two processes neither loses what the other notes.
    if (listed.length < MOST_PLACES) {
      appendFileSync(file, `${JSON.stringify(place)}\n`, { mode: 0o600 });
    } else {
      rewrite(file, [...listed.filter(isThere), place].slice(-MOST_PLACES));
    }
  } catch {
    // See above.
  }
}

/**
 * What is there of the places that the list in that folder names. Places that belong to another
 * user than the list are left out: nobody hides the files of others.
 */
export function knownPlaces(folder: string): readonly string[] {
  const file = join(folder, LIST);
  const list = lstat(file);
  if (!list?.isFile() || list.size > MOST_BYTES) return [];
  const places = readList(file).filter((place) => lstat(place)?.uid === list.uid);
  return places.slice(-MOST_PLACES);
}

/** Changes with the list in that folder. */
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
