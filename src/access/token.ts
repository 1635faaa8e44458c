/**
 * The bearer token of the administrator: created once, stored in a file, compared in constant time.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

const TOKEN_BYTES = 32;

/** A shorter token could be guessed, and was not created by Tally. */
const SHORTEST_TOKEN = 32;

/** The token in the file, which is created if it is missing. */
export async function ensureToken(file: string): Promise<string> {
  const stored = await readPrivateFile(file);
  if (stored === undefined) {
    const token = newToken();
    await writePrivateFile(file, `${token}\n`);
    return token;
  }
  const token = stored.trim();
  if (token.length < SHORTEST_TOKEN || !/^[\w.~+/=-]+$/.test(token)) {
    throw new Error(`${file} contains no usable token (delete it to create a new one)`);
  }
  return token;
}

/** The token never starts with a dash: on a command line it could be taken for a flag. */
function newToken(): string {
  for (;;) {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    if (!token.startsWith("-")) return token;
  }
}

/**
 * Checks whether a given token is the expected one. The time taken does not reveal how much of it
 * is right. The length of the token is not secret.
 */
export function tokenVerifier(expected: string): (given: string) => boolean {
  const wanted = Buffer.from(expected);
  return (given) => {
    const bytes = Buffer.from(given);
    return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
  };
}
