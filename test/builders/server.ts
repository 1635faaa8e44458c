/** A server without a socket and a disk: a context for verbs, an ApiServer for requests. */
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

// Requests in process are answered synchronously, so the rules cannot be loaded on demand.
provideDefinitionRules(allRules);

export interface TestServer extends ApiServer {
  readonly clock: ManualClock;
}

/**
 * The server's namespaces exist. The same writes always produce the same names, UIDs and revisions.
 */
export function aServer(options: StoreOptions = {}): TestServer {
  const clock = new ManualClock();
  const notesOf: NotesOf = (change) => ledgerNotes(change, clock.nowMs());
  return serverOn(openMemoryStore(INDEXES, { notesOf, ...options }), clock);
}

/** A server with other admission options. */
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
