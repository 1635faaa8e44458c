/** The address of a Unix socket in a directory, even if the path of the directory is long. */
import { existsSync, openSync } from "node:fs";
import type { Server } from "node:net";
import { join } from "node:path";
import { ensureOwnDirectory } from "./own-directory.ts";

/** The maximum length of a socket address; libuv silently truncates a longer one. */
const LONGEST_ADDRESS = 107;

export function socketAddress(directory: string, name: string): string {
  const path = join(directory, name);
  if (Buffer.byteLength(path) <= LONGEST_ADDRESS) return path;
  // The same file through the opened directory, which stays open for the life of the process.
  return `/proc/self/fd/${openSync(directory, "r")}/${name}`;
}

const NOT_FOR_OTHERS = 0o177;

/** listen() creates the socket before it returns, so that at no time others could open it. */
export function listenAtSocket(server: Server, address: string, onListening?: () => void): void {
  const before = process.umask(NOT_FOR_OTHERS);
  try {
    server.listen(address, onListening);
  } finally {
    process.umask(before);
  }
}

/**
 * Whether a process accepts connections at the socket. A process that died leaves its socket file.
 */
export async function isAnswered(directory: string, name: string): Promise<boolean> {
  if (!ensureOwnDirectory(directory) || !existsSync(join(directory, name))) return false;
  // Usually there is no socket; then this module need not be loaded.
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect(socketAddress(directory, name));
    const settle = (isAnswered: boolean) => {
      socket.destroy();
      resolve(isAnswered);
    };
    socket.once("connect", () => settle(true));
    socket.once("error", () => settle(false));
  });
}
