/** Twenty runs of ten pods that all listen on one port and reach each other by name. */
import { expect, test } from "vitest";
import { canMakeNetworks, createPeersService, runPeers } from "../agent/peers-by-name.ts";
import { startTally } from "../support/tally.ts";

const RUNS = 20;

test.skipIf(!canMakeNetworks)(
  "no lookup of a peer ever fails [needs NET_ADMIN]",
  async () => {
    const tally = await startTally({ hasAgent: true });
    try {
      await createPeersService(tally);
      for (let run = 0; run < RUNS; run++) await runPeers(tally);
      expect(tally.log()).not.toContain("there is no name server");
    } finally {
      await tally.dispose();
    }
  },
  600_000,
);
