/** The engine of another process, over the socket in its data directory. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../../api/client.ts";
import { ensureOwnDirectory } from "../../base/own-directory.ts";
import { socketAddress } from "../../base/socket-address.ts";
import { connect, wholeText } from "../../client/http-connection.ts";
import { remoteClient } from "../../client/remote.ts";
import { SOCKET } from "../../engine-options.ts";
import type { LedgerReader } from "../../ledger/reader.ts";
import { remoteLedger } from "./remote-ledger.ts";

/** A connection to an engine, in this process or in another one. */
export interface Engine {
  readonly client: Client;
  readonly ledger: LedgerReader;
  /** Settles when pods can start; absent if they can already. */
  readonly started?: Promise<void>;
  close(): Promise<void>;
}

/** Undefined if no engine answers. */
export async function connectEngine(dataDir: string): Promise<Engine | undefined> {
  const options = { server: LOCAL_ENGINE, socketPath: socketAddress(dataDir, SOCKET) };
  const connection = connect(options);
  try {
    const { status, pieces } = await connection.send({ method: "GET", path: "/readyz" });
    for await (const _ of pieces);
    if (status !== 200) throw new Error(`the engine answers with ${status}`);
  } catch {
    connection.close();
    return undefined;
  }
  const client = remoteClient({ ...options, submitsJobs: true });
  return {
    client,
    ledger: remoteLedger(connection),
    close: async () => {
      client.close();
      connection.close();
    },
  };
}

/** The host name that the guard of the socket expects. No port is opened. */
export const LOCAL_ENGINE = "http://localhost";

/**
 * Whether the engine of the directory is that of `tally up`. The engine of a `tally run` ends with
 * its run, so that later work cannot be left to it.
 */
export async function isServerRunning(dataDir: string): Promise<boolean> {
  if (!ensureOwnDirectory(dataDir) || !existsSync(join(dataDir, SOCKET))) return false;
  const options = { server: LOCAL_ENGINE, socketPath: socketAddress(dataDir, SOCKET) };
  const connection = connect(options);
  try {
    const answer = await connection.send({ method: "GET", path: "/api" });
    const { serverAddressByClientCIDRs: [first] = [] } = JSON.parse(
      await wholeText(answer),
    ) as Addresses;
    return first !== undefined && first.serverAddress !== NOT_SERVED;
  } catch {
    return false;
  } finally {
    connection.close();
  }
}

interface Addresses {
  readonly serverAddressByClientCIDRs?: readonly { readonly serverAddress: string }[];
}

/** The address that an engine reports if it does not listen on a network. */
const NOT_SERVED = "localhost";
