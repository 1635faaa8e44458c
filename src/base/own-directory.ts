/**
 * A data directory is used only if it belongs to our user, and so does what it holds. Another owner
 * could have his runs executed as us, or listen at the socket that we send our environment to.
 * Links are not followed. A directory of ours that others may write to is closed to them; what they
 * put there before is found by its owner. The directories above it are not judged.
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

/** The directory, or something in it, is somebody else's or a symbolic link. */
export class NotOwnDirectory extends Error {
  override readonly name = "NotOwnDirectory";
}

/**
 * Entries of a data directory that we make. Others are left alone, because --data may name a
 * directory that has more in it.
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
/** Either of them tells a data directory from any other. */
const MARKS: readonly string[] = ["pki", "store"];
/** What is in these belongs to pods, with the owners and modes that pods give it. */
const OF_PODS: readonly string[] = ["names", "sandboxes", "volumes"];

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

export interface OwnerCheck {
  readonly uid?: number | undefined;
  readonly tell?: (notice: string) => void;
}

/** False where nothing is there. Throws NotOwnDirectory, which says why and what to do. */
export function ensureOwnDirectory(directory: string, check: OwnerCheck = {}): boolean {
  return ensureOwn(directory, { check, names: OURS, marks: MARKS });
}

/** The same for a directory in which everything is ours, such as that of a spawner. */
export function ensureOwnFolder(directory: string, check: OwnerCheck = {}): boolean {
  return ensureOwn(directory, { check });
}

/**
 * Throws if the file is another user's, or behind a link that another user made: he would read what
 * we write. A link of our own is followed.
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
  /** Absent: all that are there. */
  readonly names?: readonly string[];
  /** Absent: it is ours without any. */
  readonly marks?: readonly string[];
}

function ensureOwn(directory: string, { check, names, marks }: Judged): boolean {
  const { uid = process.geteuid?.(), tell = tellUser } = check;
  // Systems without owners.
  if (uid === undefined) return lstat(directory) !== undefined;
  const found = lstat(directory);
  if (found === undefined) return false;
  refuseOthers(directory, found, uid);
  if (!found.isDirectory()) return true;
  // Closed before its entries are looked at: afterwards nobody can exchange them.
  const isOurs = !marks || marks.some((mark) => lstat(join(directory, mark))?.uid === uid);
  if (isOurs) closeToOthers(directory, found, tell);
  for (const name of names ?? readdirSync(directory)) {
    const path = join(directory, name);
    const entry = lstat(path);
    if (entry === undefined) continue;
    refuseOthers(path, entry, uid);
    if (!entry.isDirectory()) continue;
    closeToOthers(path, entry, tell);
    // Nobody else can have put anything into one that others could not write to.
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
