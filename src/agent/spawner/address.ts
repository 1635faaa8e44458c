/** Where a spawner listens: a socket in its directory. */
import { openSync } from "node:fs";
import { join } from "node:path";

/** What a socket's address has room for, with its end; libuv cuts a longer one in silence. */
const LONGEST_ADDRESS = 107;

export function socketAddress(directory: string): string {
  const path = join(directory, "spawner.sock");
  if (Buffer.byteLength(path) <= LONGEST_ADDRESS) return path;
  // The same file by way of the opened directory, which stays open as long as we do.
  return `/proc/self/fd/${openSync(directory, "r")}/spawner.sock`;
}
