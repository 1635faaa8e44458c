/** A server with no socket and no disk: a context for verbs, an ApiServer for requests. */
import { passingSigningKey } from "../../src/access/signing-key.ts";
import { silentLog } from "../../src/base/log.ts";
import { ManualClock } from "../../src/base/manual-clock.ts";
import { seededRandom } from "../../src/base/random.ts";
import { allRules } from "../../src/kinds/customresourcedefinition/all-rules.ts";
import { provideDefinitionRules } from "../../src/kinds/customresourcedefinition/rules.ts";
import { registry } from "../../src/kinds/registry.ts";
import { ledgerNotes } from "../../src/ledger/ledger-notes.ts";
import { type AdmissionOptions, openAdmission } from "../../src/server/admission/admission.ts";
import { bootstrap } from "../../src/server/bootstrap.ts";
import { openCustomRegistry } from "../../src/server/customresources/custom-registry.ts";
import { openDefinitionKeeper } from "../../src/server/customresources/definition-keeper.ts";
import type { ApiServer } from "../../src/server/http/request.ts";
import { INDEXES } from "../../src/server/indexes.ts";
import { tokenVerifier } from "../../src/server/tokens/verify-token.ts";
import { openMemoryStore, type StoreOptions } from "../../src/store/open.ts";
import type { NotesOf, Store } from "../../src/store/types.ts";

// Requests in process are answered at once: nothing can be loaded in between.
provideDefinitionRules(allRules);

export interface TestServer extends ApiServer {
  readonly clock: ManualClock;
}

/** Its namespaces exist. The same writes give the same names, uids and revisions again. */
export function aServer(options: StoreOptions = {}): TestServer {
  const clock = new ManualClock();
  const notesOf: NotesOf = (change) => ledgerNotes(change, clock.nowMs());
  return serverOn(openMemoryStore(INDEXES, { notesOf, ...options }), clock);
}

/** The same with other measures of admission. */
export function serverWith(measures: Partial<AdmissionOptions>): TestServer {
  return serverOn(openMemoryStore(INDEXES), new ManualClock(), measures);
}

export function serverOn(
  store: Store,
  clock: ManualClock,
  measures: Partial<AdmissionOptions> = {},
): TestServer {
  const signer = passingSigningKey();
  const server = {
    store,
    admission: openAdmission(store, { serviceCidr: "10.96.0.0/16", ...measures }),
    registry: openCustomRegistry(store, registry),
    clock,
    random: seededRandom(1),
    log: silentLog,
    signer,
    tokens: tokenVerifier({ store, clock, signer }),
    address: "127.0.0.1:6443",
  };
  bootstrap(server, { address: "127.0.0.1", port: 6443 });
  openDefinitionKeeper(server);
  return server;
}
