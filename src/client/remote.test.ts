import { aServer } from "../../test/builders/server.ts";
import { clientContract } from "../../test/contracts/client-contract.ts";
import { listen } from "../server/http/listen.ts";
import { remoteClient } from "./remote.ts";

const USER = { name: "admin", groups: ["system:masters"] };
const rememberedChanges = 20;

clientContract(async () => {
  const server = aServer({ historyLimits: { changes: rememberedChanges } });
  const guard = { hosts: new Set(["127.0.0.1"]), authenticate: () => USER };
  const listener = await listen(server, { address: "127.0.0.1", port: 0, guard });
  const client = remoteClient({ server: `http://127.0.0.1:${listener.port}` });
  return {
    client,
    rememberedChanges,
    close: async () => {
      client.close();
      await listener.close();
      await server.store.close();
    },
  };
});
