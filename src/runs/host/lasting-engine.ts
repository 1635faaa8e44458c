/** Whether what is left to the engine of a directory will be carried out. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureOwnDirectory } from "../../base/own-directory.ts";
import { socketAddress } from "../../base/socket-address.ts";
import { SOCKET } from "../../engine-options.ts";

/** That of `tally up`, which stays; one that lives in a `tally run` goes when its run is over. */
export async function isEngineLasting(dataDir: string): Promise<boolean> {
  if (!ensureOwnDirectory(dataDir) || !existsSync(join(dataDir, SOCKET))) return false;
  const { connect, wholeText } = await import("../../client/http-connection.ts");
  const { LOCAL_ENGINE } = await import("./other-engine.ts");
  const options = { server: LOCAL_ENGINE, socketPath: socketAddress(dataDir, SOCKET) };
  const connection = connect(options);
  try {
    const answer = await connection.send({ method: "GET", path: "/api" });
    const { serverAddressByClientCIDRs: [first] = [] } = JSON.parse(
      await wholeText(answer),
    ) as Addresses;
    return first !== undefined && first.serverAddress !== UNSERVED;
  } catch {
    return false;
  } finally {
    connection.close();
  }
}

interface Addresses {
  readonly serverAddressByClientCIDRs?: readonly { readonly serverAddress: string }[];
}

/** What an engine calls itself that nobody reaches over a network. */
const UNSERVED = "localhost";
