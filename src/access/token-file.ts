/**
 * A token that another program keeps up to date in a file: it is read again before it can expire.
 */
import { readFile } from "node:fs/promises";
import { type Clock, systemClock } from "../base/clock.ts";
import type { CredentialSource, Credentials } from "../base/credentials.ts";

/** ServiceAccount tokens are replaced minutes before they expire. */
const GOOD_FOR_MS = 60_000;

export function tokenFile(file: string, clock: Clock = systemClock): CredentialSource {
  let known: { readonly credentials: Credentials; readonly sinceMs: number } | undefined;
  return {
    current: async () => {
      if (known && clock.monotonicMs() - known.sinceMs < GOOD_FOR_MS) return known.credentials;
      const token = (await readFile(file, "utf8")).trim();
      if (token === "") throw new Error(`${file} is empty`);
      const isSame = known?.credentials.token === token;
      known = {
        credentials: isSame && known ? known.credentials : { token },
        sinceMs: clock.monotonicMs(),
      };
      return known.credentials;
    },
    refused: (credentials) => {
      if (credentials === known?.credentials) known = undefined;
    },
  };
}
