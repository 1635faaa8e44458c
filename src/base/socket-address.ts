/** The address of a Unix socket in a directory, however long the path of the directory is. */
import { existsSync, openSync } from "node:fs";
import type { Server } from "node:net";
import { join } from "node:path";
import { ensureOwnDirectory } from "./own-directory.ts";

/** What a socket's address has room for, with its end; libuv cuts a longer one in silence. */
const LONGEST_ADDRESS = 107;

export function socketAddress(directory: string, name: string): string {
  const path = join(directory, name);
  if (Buffer.byteLength(path) <= LONGEST_ADDRESS) return path;
  // The same file by way of the opened directory, which stays open as long as we do.
  return `/proc/self/fd/${openSync(directory, "r")}/${name}`;
}

const NOT_FOR_OTHERS = 0o177;

/** There is no moment in which others could open it: it is made before listen() returns. */
export function listenAtSocket(server: Server, address: string, onListening?: () => void): void {
  const before = process.umask(NOT_FOR_OTHERS);
  try {
    server.listen(address, onListening);
  } finally {
    process.umask(before);
  }
}

/** Whether somebody accepts connections at a socket: that of a process that died is still there. */
export async function isAnswered(directory: string, name: string): Promise<boolean> {
  if (!ensureOwnDirectory(directory) || !existsSync(join(directory, name))) return false;
  // Most have no socket to ask at, and need not wait until this is loaded.
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
