/**
 * Whether the server of a data directory is shared, and whether it has given credentials to people
 * who must not act as its user. Such a server never serves its own user alone again: what those
 * people have stored would then run as that user.
 *
 * Two files, so that a server that starts and a command that admits somebody at the same moment
 * never undo each other: each writes its own file first, and looks at the other's then.
 */
import { join } from "node:path";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

export interface ServerMode {
  readonly isShared: boolean;
  /** It has admitted somebody who is not trusted. */
  readonly hasGuests: boolean;
}

const MODE_FILE = "mode";
const GUESTS_FILE = "guests";
const ALONE = "alone\n";
const SHARED = "shared\n";
const GUESTS = "Credentials were given to people who must not act as the user of this server.\n";

/** A server that has never said otherwise is alone. */
export async function readServerMode(dataDir: string): Promise<ServerMode> {
  const file = join(dataDir, MODE_FILE);
  const mode = (await readPrivateFile(file)) ?? ALONE;
  if (mode !== ALONE && mode !== SHARED) {
    throw new Error(`${file} is damaged: it does not say whether the server is shared`);
  }
  const guests = await readPrivateFile(join(dataDir, GUESTS_FILE));
  return { isShared: mode === SHARED, hasGuests: guests !== undefined };
}

/** Throws if the server may not be started alone. */
export async function refuseAlone(dataDir: string): Promise<void> {
  const { hasGuests } = await readServerMode(dataDir);
  if (!hasGuests) return;
  throw new Error(
    `${dataDir} belongs to a server that has admitted people who must not act as its user: ` +
      "only tally up --shared may start it",
  );
}

/** Called by a server that holds the lock of the directory. Throws if it may not be alone. */
export async function storeServerMode(dataDir: string, isShared: boolean): Promise<void> {
  const known = await readServerMode(dataDir);
  if (known.isShared !== isShared) {
    await writePrivateFile(join(dataDir, MODE_FILE), isShared ? SHARED : ALONE);
  }
  if (!isShared) await refuseAlone(dataDir);
}

/** Called before somebody who is not trusted gets credentials. False if the server is alone. */
export async function admitGuest(dataDir: string): Promise<boolean> {
  const { isShared, hasGuests } = await readServerMode(dataDir);
  if (!isShared) return false;
  if (!hasGuests) await writePrivateFile(join(dataDir, GUESTS_FILE), GUESTS);
  return (await readServerMode(dataDir)).isShared;
}
