/** The engine of another process, over the socket in its data directory. */
import { socketAddress } from "../../base/socket-address.ts";
import { connect } from "../../client/http-connection.ts";
import { remoteClient } from "../../client/remote.ts";
import { SOCKET } from "../../engine-options.ts";
import type { ReachedEngine } from "./reached-engine.ts";
import { remoteLedger } from "./remote-ledger.ts";

/** Undefined where nobody answers. */
export async function connectEngine(dataDir: string): Promise<ReachedEngine | undefined> {
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
    isOwn: false,
    isPassing: true,
    close: async () => {
      client.close();
      connection.close();
    },
  };
}

/** Only the name that the guard of a socket expects: no such port is ever opened. */
export const LOCAL_ENGINE = "http://localhost";
