/** The bearer token of the administrator: made once, kept in a file, compared in constant time. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { readPrivateFile, writePrivateFile } from "./private-file.ts";

const TOKEN_BYTES = 32;

/** Shorter than this can be guessed, and is no token that Tally made. */
const SHORTEST_TOKEN = 32;

/** The token in the file, which is made where there is none. */
export async function ensureToken(file: string): Promise<string> {
  const stored = await readPrivateFile(file);
  if (stored === undefined) {
    const token = newToken();
    await writePrivateFile(file, `${token}\n`);
    return token;
  }
  const token = stored.trim();
  if (token.length < SHORTEST_TOKEN || !/^[\w.~+/=-]+$/.test(token)) {
    throw new Error(`${file} holds no usable token (delete it to have a new one made)`);
  }
  return token;
}

/** None that a command line would take for a flag where it follows one. */
function newToken(): string {
  for (;;) {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    if (!token.startsWith("-")) return token;
  }
}

/**
 * Tells whether a given token is the expected one, in a time that says nothing about how much of
 * it is right. How long it is, is no secret.
 */
export function tokenVerifier(expected: string): (given: string) => boolean {
  const wanted = Buffer.from(expected);
  return (given) => {
    const bytes = Buffer.from(given);
    return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
  };
}
