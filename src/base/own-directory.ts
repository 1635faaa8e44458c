/**
 * Checks that a data directory and its contents belong to our user. Another owner could have runs
 * executed as us, or listen on the socket to which we send our environment. Symbolic links are not
 * followed. If others can write to a directory of ours, it is closed to them, and files that they
 * put there before are recognised by their owner. The directories above it are not checked.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { terminalText } from "./terminal-text.ts";

/** The directory, or something in it, belongs to another user or is a symbolic link. */
export class NotOwnDirectory extends Error {
  override readonly name = "NotOwnDirectory";
}

/**
 * Names of entries that Tally creates in a data directory. Others are ignored, because --data may
 * name a directory that contains other files.
 */
const OURS: readonly string[] = [
  ".gitignore",
  "agent",
  "agents",
  "engine.log",
  "guests",
  "kubeconfig",
  "lock",
  "logs",
  "mode",
  "pki",
  "service-accounts.key",
  "store",
  "store.new",
  "tally.sock",
  "token",
  "volumes",
];
/** Entries by which a data directory is recognised; one of them is enough. */
const MARKS: readonly string[] = ["pki", "store"];
/** The contents of these belong to pods, with the owners and modes that pods set. */
const OF_PODS: readonly string[] = ["names", "sandboxes", "volumes"];

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

export interface OwnerCheck {
  readonly uid?: number | undefined;
  readonly tell?: (notice: string) => void;
}

/** False if it does not exist. Throws NotOwnDirectory, which says why and what to do. */
export function ensureOwnDirectory(directory: string, check: OwnerCheck = {}): boolean {
  return ensureOwn(directory, { check, names: OURS, marks: MARKS });
}

/** The same for a directory in which every entry is ours, such as that of a spawner. */
export function ensureOwnFolder(directory: string, check: OwnerCheck = {}): boolean {
  return ensureOwn(directory, { check });
}

/**
 * Throws if the file belongs to another user, or is reached through a link that another user made:
 * that user could read what we write. A link of our own is followed.
 */
export function refuseOthersFile(file: string, uid = process.geteuid?.()): void {
  for (const found of [lstat(file), statSync(file, { throwIfNoEntry: false })]) {
    if (uid === undefined || found === undefined || found.uid === uid) continue;
    throw new NotOwnDirectory(
      `${file} belongs to another user (${found.uid}, you are ${uid}), who could read or change ` +
        "what is written there: choose another file, or delete it",
    );
  }
}

interface Judged {
  readonly check: OwnerCheck;
  /** The entries to check; by default all. */
  readonly names?: readonly string[];
  /** Names that mark the directory as ours; without them it is always ours. */
  readonly marks?: readonly string[];
}

function ensureOwn(directory: string, { check, names, marks }: Judged): boolean {
  const { uid = process.geteuid?.(), tell = tellUser } = check;
  // This system has no file owners.
  if (uid === undefined) return lstat(directory) !== undefined;
  const found = lstat(directory);
  if (found === undefined) return false;
  refuseOthers(directory, found, uid);
  if (!found.isDirectory()) return true;
  // Close the directory before checking its entries: afterwards nobody can exchange them.
  const isOurs = !marks || marks.some((mark) => lstat(join(directory, mark))?.uid === uid);
  if (isOurs) closeToOthers(directory, found, tell);
  for (const name of names ?? readdirSync(directory)) {
    const path = join(directory, name);
    const entry = lstat(path);
    if (entry === undefined) continue;
    refuseOthers(path, entry, uid);
    if (!entry.isDirectory()) continue;
    closeToOthers(path, entry, tell);
    // If others could not write to it, nobody else can have put anything into it.
    if ((entry.mode & OTHERS_WRITE) !== 0 && !OF_PODS.includes(name)) ensureOwn(path, { check });
  }
  return true;
}

function closeToOthers(path: string, { mode }: Stats, tell: (notice: string) => void): void {
  if ((mode & OTHERS) === 0) return;
  const directory = openSync(path, constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    fchmodSync(directory, mode & 0o700);
  } finally {
    closeSync(directory);
  }
  if ((mode & OTHERS_WRITE) === 0) return;
  tell(`others could write to ${path}: it is now closed to them (mode 0700)`);
}

function refuseOthers(path: string, found: Stats, uid: number): void {
  if (found.isSymbolicLink()) {
    const target = resolve(dirname(path), readlinkSync(path));
    throw new NotOwnDirectory(
      `${path} is a symbolic link, which Tally does not follow, because another user may have ` +
        `made it: name a directory with --data (it points to ${target})`,
    );
  }
  if (found.uid === uid) return;
  throw new NotOwnDirectory(
    `${path} belongs to another user (${found.uid}, you are ${uid}), who could run commands as ` +
      "you through it: choose a directory of your own with --data, or start Tally as that user",
  );
}

function lstat(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function tellUser(notice: string): void {
  process.stderr.write(terminalText(`tally: ${notice}\n`));
}
