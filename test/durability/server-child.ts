/**
 * Only a server on its store, in its own process: it starts in a third of the time of the whole
 * program, so it can be killed that much more often. It remembers few changes and sweeps its ledger
 * continuously, so that both happen under every load.
 */
import { writeSync } from "node:fs";
import { join } from "node:path";
import { storedSigningKey } from "../../src/access/signing-key.ts";
import { DEFAULT_FEATURE_GATES } from "../../src/api/feature-gates.ts";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log.ts";
import { systemRandom } from "../../src/base/random.ts";
import { registry } from "../../src/kinds/registry.ts";
import { ledgerNotes } from "../../src/ledger/ledger-notes.ts";
import { bootstrap } from "../../src/server/bootstrap.ts";
import { OPEN_GUARD } from "../../src/server/http/guards.ts";
import { listen } from "../../src/server/http/listen.ts";
import { INDEXES } from "../../src/server/indexes.ts";
import { sweep } from "../../src/server/ledger/sweep.ts";
import { openServer } from "../../src/server/open-server.ts";
import { tokenVerifier } from "../../src/server/tokens/verify-token.ts";
import { openStore } from "../../src/store/open.ts";
import type { Store } from "../../src/store/types.ts";

const REMEMBERED_CHANGES = 60;
const SWEEP_EVERY_MS = 40;

const [dataDir = ""] = process.argv.slice(2);
const store = await openStore({
  dataDir,
  indexes: INDEXES,
  notesOf: (change) => ledgerNotes(change, systemClock.nowMs()),
  historyLimits: { changes: REMEMBERED_CHANGES },
});
const parts = {
  store,
  registry,
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  gates: DEFAULT_FEATURE_GATES,
  signer: storedSigningKey(join(dataDir, "service-accounts.key")),
};
const { context } = openServer(parts, { serviceCidr: "10.96.0.0/16", isGuarded: false });
const server = { ...context, tokens: tokenVerifier(context), address: "127.0.0.1" };
const address = { address: "127.0.0.1", port: 0 };
const { port } = await listen(server, { ...address, guard: OPEN_GUARD });
bootstrap(context, { ...address, port });
await store.durable(store.revision);
sweepForEver(store);
writeSync(1, `http://127.0.0.1:${port}\n`);

function sweepForEver(swept: Store): void {
  const again = () => setTimeout(() => sweepForEver(swept), SWEEP_EVERY_MS);
  sweep(swept, systemClock.nowMs()).then(again, again);
}
