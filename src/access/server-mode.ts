/**
 * Whether the server of a data directory is shared, and whether it has issued credentials to people
 * who must not act as its user (guests). Such a server must never run unshared again, because
 * objects that guests have stored would then run as that user.
 *
 * There are two files, so that a starting server and a command that admits a guest at the same
 * moment cannot overwrite each other's change: each writes its own file first, and then reads the
 * other's.
 */
import { join } from "node:path";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

export interface ServerMode {
  readonly isShared: boolean;
  /** Credentials were issued to somebody who is not trusted. */
  readonly hasGuests: boolean;
}

const MODE_FILE = "mode";
const GUESTS_FILE = "guests";
const ALONE = "alone\n";
const SHARED = "shared\n";
const GUESTS = "Credentials were given to people who must not act as the user of this server.\n";

/** Not shared is the default. */
export async function readServerMode(dataDir: string): Promise<ServerMode> {
  const file = join(dataDir, MODE_FILE);
  const mode = (await readPrivateFile(file)) ?? ALONE;
  if (mode !== ALONE && mode !== SHARED) {
    throw new Error(`${file} is damaged: it does not say whether the server is shared`);
  }
  const guests = await readPrivateFile(join(dataDir, GUESTS_FILE));
  return { isShared: mode === SHARED, hasGuests: guests !== undefined };
}

/** Throws if the server must not be started unshared. */
export async function refuseAlone(dataDir: string): Promise<void> {
  const { hasGuests } = await readServerMode(dataDir);
  if (!hasGuests) return;
  throw new Error(
    `${dataDir} belongs to a server that has admitted people who must not act as its user: ` +
      "only tally up --shared may start it",
  );
}

/**
 * Called by a server that holds the lock of the directory. Throws if it must be shared but is not.
 */
export async function storeServerMode(dataDir: string, isShared: boolean): Promise<void> {
  const known = await readServerMode(dataDir);
  if (known.isShared !== isShared) {
    await writePrivateFile(join(dataDir, MODE_FILE), isShared ? SHARED : ALONE);
  }
  if (!isShared) await refuseAlone(dataDir);
}

/** Called before an untrusted person gets credentials. False if the server is not shared. */
export async function admitGuest(dataDir: string): Promise<boolean> {
  const { isShared, hasGuests } = await readServerMode(dataDir);
  if (!isShared) return false;
  if (!hasGuests) await writePrivateFile(join(dataDir, GUESTS_FILE), GUESTS);
  return (await readServerMode(dataDir)).isShared;
}
