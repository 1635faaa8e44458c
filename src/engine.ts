/**
 * The composition root: opens the store, builds the server around it, listens, starts controllers.
 * The only file that knows every part; nothing imports it but the command line and tests.
 */
import { join } from "node:path";
import type { AuditFile } from "./access/audit-file.ts";
import { refuseAlone, storeServerMode } from "./access/server-mode.ts";
import { storedSigningKey } from "./access/signing-key.ts";
import { tokenVerifier as secretVerifier } from "./access/token.ts";
import { type NodeAgent, prepareRuntime } from "./agent/node-agent.ts";
import type { PreparedRuntime, ReachedServer } from "./agent/node-agent-options.ts";
import { DEFAULT_FEATURE_GATES } from "./api/feature-gates.ts";
import type { Node } from "./api/generated/core.ts";
import { systemClock } from "./base/clock.ts";
import { logOnSignal } from "./base/diagnostics-signal.ts";
import { DirectoryInUse } from "./base/directory-lock.ts";
import { Metrics } from "./base/metrics.ts";
import { type Random, systemRandom } from "./base/random.ts";
import { type LocalServer, localClient } from "./client/local.ts";
import { clusterRoleAggregation } from "./controllers/clusterroleaggregation/role-aggregation.ts";
import { cronJobController } from "./controllers/cronjob/cronjob-controller.ts";
import { disruptionController } from "./controllers/disruption/disruption-controller.ts";
import { endpointsController } from "./controllers/endpoints/endpoints-controller.ts";
import { garbageCollector } from "./controllers/garbage/garbage-collector.ts";
import { jobController } from "./controllers/job/job-controller.ts";
import { namespaceController } from "./controllers/namespace/namespace-controller.ts";
import { nodeLifecycle } from "./controllers/nodelifecycle/node-lifecycle.ts";
import { podCollector } from "./controllers/podgc/pod-collector.ts";
import { rootCaController } from "./controllers/rootca/root-ca-publisher.ts";
import type { Controller, RunningController } from "./controllers/runtime/controller.ts";
import { scheduledJobController } from "./controllers/scheduledjob/scheduledjob-controller.ts";
import { schedulerController } from "./controllers/scheduler/scheduler.ts";
import { defaultAccountController } from "./controllers/serviceaccount/default-account.ts";
import { statefulSetController } from "./controllers/statefulset/statefulset-controller.ts";
import { storageController } from "./controllers/storage/storage-controller.ts";
import { taintEviction } from "./controllers/tainteviction/taint-eviction.ts";
import { ttlController } from "./controllers/ttl/ttl-controller.ts";
import { unattendedWorkloads } from "./controllers/unattended/unattended-workloads.ts";
import { workflowController } from "./controllers/workflow/workflow-controller.ts";
import {
  type AgentMeasures,
  type CoreEngine,
  type CoreOptions,
  DATA_DIRECTORY_IN_USE,
  type Engine,
  type EngineOptions,
  type Served,
  type Stopped,
} from "./engine-options.ts";
import { verbsOf } from "./kinds/kind.ts";
import { registry } from "./kinds/registry.ts";
import { ledgerNotes } from "./ledger/ledger-notes.ts";
import { startNetworkedAgent } from "./networked-agent.ts";
import { nodeSources } from "./nodes/node-sources.ts";
import { podSecurityOptions } from "./server/admission/pod-security-options.ts";
import { bootstrap } from "./server/bootstrap.ts";
import { keyOf, type ServerContext } from "./server/context.ts";
import { DEFINITIONS } from "./server/customresources/custom-registry.ts";
import { loadDefinitionRules } from "./server/customresources/load-rules.ts";
import { ADMINISTRATOR, bracketed, networkGuard, OPEN_GUARD } from "./server/http/guards.ts";
import type { Listener } from "./server/http/listen.ts";
import { listen, listenPrivately } from "./server/http/listen-later.ts";
import { measured } from "./server/http/measured.ts";
import type { ApiServer } from "./server/http/request.ts";
import { INDEXES } from "./server/indexes.ts";
import { localLedger } from "./server/ledger/local-ledger.ts";
import { type Sweeper, startSweeper } from "./server/ledger/sweep.ts";
import { openServer, type ServerMeasures, type ServerParts } from "./server/open-server.ts";
import { publishServer } from "./server/publish-server.ts";
import { type TokenVerifier, tokenVerifier, withSecret } from "./server/tokens/verify-token.ts";
import { openStore } from "./store/open.ts";
import type { NotesOf, Store } from "./store/types.ts";

/** The file in the data directory; made when the first token is asked for. */
const SIGNING_KEY = "service-accounts.key";

/** An engine that is a server on the network. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { engine, served } = await openEngine(options, options);
  if (!served) throw new Error("the engine does not listen");
  return { ...engine, ...served };
}

/** One for its own process, and for whoever may open its socket. */
export async function startCoreEngine(options: CoreOptions): Promise<CoreEngine> {
  return (await openEngine(options)).engine;
}

interface Opened {
  readonly engine: CoreEngine;
  readonly served?: Served;
}

async function openEngine(options: CoreOptions, network?: EngineOptions): Promise<Opened> {
  const measures = await measuresOf(options, network);
  const store = await openData(options.dataDir);
  // A process of its own, which takes its time to come up.
  const runtime = options.agent && prepareRuntime(options.dataDir, options.agent, options.log);
  if (store.count(DEFINITIONS) > 0) await loadDefinitionRules();
  const opened = openServer(partsOf(store, options), measures);
  const { context, authorizer } = opened;
  const metrics = new Metrics();
  const listeners: Pick<Listener, "close">[] = [logOnSignal(metrics.diagnostics, options.log)];
  let served: ServedNetwork | undefined;
  let audit: AuditFile | undefined;
  let sweeper: Sweeper | undefined;
  let agent: NodeAgent | undefined;
  let begun: Promise<void> | undefined;
  const running: RunningController[] = [];
  const stop = async (): Promise<Stopped> => {
    await begun?.catch(() => {});
    const leavesRunning = options.agent?.onExit === "leave";
    // How its pods end is still to be written, and counted.
    const stopped = await agent?.stop({ leavesRunning, isWithServer: true });
    if (!agent) await closeRuntime(runtime);
    for (const controller of running) controller.stop();
    sweeper?.stop();
    await Promise.all(listeners.map((listener) => listener.close()));
    await audit?.close();
    opened.close();
    await store.close();
    return { leftRunning: leavesRunning ? (stopped?.pods ?? 0) : 0 };
  };
  try {
    audit = await openAudit(network);
    const server: ApiServer = {
      ...context,
      ...measured(metrics),
      ...(audit ? { audit } : {}),
      tokens: tokensOf(context, network),
      ...(authorizer ? { authorizer } : {}),
      get address() {
        return served ? `${bracketed(served.address)}:${served.port}` : "localhost";
      },
      ...nodeSources({
        own: () => agent,
        findNode: (name) => store.get(keyOf(NODES, "", name)) as Node | undefined,
        ...(network ? { identity: network.certificates } : {}),
      }),
    };
    served = network && (await serveNetwork(server, network, listeners));
    bootstrap(context, served ?? UNSERVED);
    const way = reached(network, served);
    if (way.server) publishServer(context, way.server);
    // Who is not told of it yet need not wait for the disk.
    if (network) await store.durable(store.revision);
    if (network) opened.beginRoles();
    if (isChosen(options, "resourcequota")) opened.enforceQuotas();
    running.push(...(await startControllers(context, metrics, options, network)));
    sweeper = startSweeper(context);
    begun = startAgent(context, metrics, options, runtime, way).then((started) => {
      agent = started;
      return network ? undefined : started?.isCaughtUp;
    });
    // Whoever made the engine for its own work begins that while the node is getting ready.
    if (network) await begun;
    else begun.catch(() => {});
    // Last: whoever finds the socket finds all of it.
    const listening = listenPrivately(server, options.socket, network ? 0 : LISTEN_AFTER_MS);
    if (listening) listeners.push(listening);
    if (network) await listening?.begun;
    const engine: CoreEngine = {
      client: localClient(context),
      ledger: localLedger(store),
      begun,
      stop: onlyOnce(stop),
    };
    return { engine, ...(served ? { served } : {}) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** An engine inside a command begins its own work first. */
const LISTEN_AFTER_MS = 300;

function onlyOnce<T>(act: () => Promise<T>): () => Promise<T> {
  let acting: Promise<T> | undefined;
  return () => {
    acting ??= act();
    return acting;
  };
}

async function closeRuntime(runtime: PreparedRuntime | undefined): Promise<void> {
  const prepared = await runtime?.catch(() => undefined);
  await prepared?.close({ leavesRunning: true });
}

const NODES = registry.getResource("", "v1", "nodes");

/** What the Service "kubernetes" names where nobody listens: what is usual. */
const UNSERVED = { address: "127.0.0.1", port: 6443 };

type ServedNetwork = Served & { readonly address: string; readonly port: number };

async function serveNetwork(
  server: ApiServer,
  options: EngineOptions,
  listeners: Pick<Listener, "close">[],
): Promise<ServedNetwork> {
  const { address, port } = options;
  await storeServerMode(options.dataDir, options.sharing !== undefined);
  const secure = await listen(server, {
    address,
    port,
    tls: {
      cert: options.certificates.cert,
      key: options.certificates.key,
      clientAuthority: options.certificates.ca,
    },
    guard: networkGuard(server.tokens, {
      certificate: options.certificates.cert,
      takesAnonymous: !isEverythingAllowed(options),
    }),
  });
  listeners.push(secure);
  const insecure = await listenInsecurely(server, options);
  if (insecure) listeners.push(insecure);
  return {
    url: `https://${bracketed(address)}:${secure.port}`,
    address,
    port: secure.port,
    ...(insecure ? { insecureUrl: `http://127.0.0.1:${insecure.port}` } : {}),
  };
}

async function openData(dataDir: string): Promise<Store> {
  try {
    const notesOf: NotesOf = (change) => ledgerNotes(change, systemClock.nowMs());
    return await openStore({ dataDir, indexes: INDEXES, notesOf });
  } catch (cause) {
    if (!(cause instanceof DirectoryInUse)) throw cause;
    throw Object.assign(new Error(cause.message, { cause }), { code: DATA_DIRECTORY_IN_USE });
  }
}

function partsOf(
  store: Store,
  { dataDir, log, featureGates: gates = DEFAULT_FEATURE_GATES }: CoreOptions,
): ServerParts {
  const signer = storedSigningKey(join(dataDir, SIGNING_KEY));
  return { store, registry, clock: systemClock, random: systemRandom, log, gates, signer };
}

async function measuresOf(
  { serviceCidr, dataDir, agent, sharing }: CoreOptions,
  network: EngineOptions | undefined,
): Promise<ServerMeasures> {
  // An engine that runs nothing, as that of tally down, cannot run anything for anybody.
  if (!sharing && (network || agent)) await refuseAlone(dataDir);
  const { admission } = network ?? {};
  const isShared = sharing !== undefined;
  const podSecurity = await podSecurityOptions({ isShared, ...(admission ? { admission } : {}) });
  const isGuarded = !isEverythingAllowed(network);
  return { serviceCidr, isGuarded, podSecurity, ...(sharing ? { sharing } : {}) };
}

function isEverythingAllowed(network: EngineOptions | undefined): boolean {
  return network?.authorization === "AlwaysAllow";
}

async function openAudit(network: EngineOptions | undefined): Promise<AuditFile | undefined> {
  if (network?.auditLog === undefined) return undefined;
  const { openAuditFile } = await import("./access/audit-file.ts");
  return openAuditFile(network.auditLog, network.log);
}

/** The administrator's own token, and those of ServiceAccounts. */
function tokensOf(context: ServerContext, network: EngineOptions | undefined): TokenVerifier {
  const accounts = tokenVerifier(context);
  if (!network) return accounts;
  return withSecret(accounts, secretVerifier(network.token), ADMINISTRATOR);
}

async function listenInsecurely(
  server: ApiServer,
  options: EngineOptions,
): Promise<Listener | undefined> {
  if (options.insecurePort === undefined) return undefined;
  return listen(server, {
    address: "127.0.0.1",
    port: options.insecurePort,
    guard: OPEN_GUARD,
  });
}

/** What can be listed, followed and deleted: what owners and namespaces take with them. */
const DELETABLE = registry.kinds.filter((kind) => {
  const verbs = verbsOf(kind);
  return verbs.includes("delete") && verbs.includes("list") && verbs.includes("watch");
});

async function startAgent(
  server: LocalServer & { readonly random: Random },
  metrics: Metrics,
  options: CoreOptions,
  runtime: PreparedRuntime | undefined,
  reachedServer: { readonly server?: ReachedServer },
): Promise<NodeAgent | undefined> {
  const { agent, dataDir, log, serviceCidr } = options;
  if (!agent || !runtime) return undefined;
  if (options.sharing) await requireSandbox(agent, runtime);
  const { clock, random } = server;
  const tracksAll = options.tracksAllFields ?? false;
  const client = localClient(server, { manager: "kubelet", tracksAll });
  const own = { client, clock, random, metrics, dataDir, log: log.child({ part: "agent" }) };
  const provisions = reachedServer.server !== undefined && isChosen(options, "storage");
  const around = { ...reachedServer, serviceCidr, provisions };
  return startNetworkedAgent({ ...own, ...agent, ...around, runtime });
}

/** Otherwise no pod that names no runtime could run. */
async function requireSandbox({ sandbox }: AgentMeasures, runtime: PreparedRuntime): Promise<void> {
  if (sandbox.defaultRuntime !== "sandbox") return;
  const { problem } = (await runtime).can.sandbox;
  if (problem === undefined) return;
  throw new Error(`--shared needs sandboxes, which this machine cannot make: ${problem}`);
}

/** Who listens on all addresses is reached by the one that every machine has. */
function reached(
  network: EngineOptions | undefined,
  served: { readonly port: number } | undefined,
): { readonly server?: ReachedServer } {
  if (!network || !served) return {};
  const host = ANY_ADDRESS.has(network.address) ? "127.0.0.1" : network.address;
  return { server: { host, port: served.port, certificateAuthority: network.certificates.ca } };
}

const ANY_ADDRESS: ReadonlySet<string> = new Set(["", "0.0.0.0", "::"]);

async function startControllers(
  server: LocalServer,
  metrics: Metrics,
  options: CoreOptions,
  network: EngineOptions | undefined,
): Promise<RunningController[]> {
  const { controllers, log, featureGates: gates = DEFAULT_FEATURE_GATES } = options;
  const all: Controller[] = [
    defaultAccountController,
    ...(network ? [rootCaController(network.certificates.ca), clusterRoleAggregation] : []),
    jobController(options.jobs),
    garbageCollector(DELETABLE),
    ttlController,
    unattendedWorkloads,
    endpointsController,
    ...(isChosen(options, "cronjob") ? [cronJobController(localTimeZone())] : []),
    scheduledJobController,
    workflowController,
    statefulSetController,
    disruptionController,
    podCollector(),
    namespaceController(DELETABLE),
    // Without a node of our own whoever adds nodes looks after them, or names these.
    ...(options.agent || controllers !== "all" ? ofNodes(options) : []),
  ];
  if (controllers === "none") return [];
  const chosen = all.filter(({ name }) => isChosen(options, name));
  const tracksAll = options.tracksAllFields ?? false;
  const client = localClient(server, { manager: "kube-controller-manager", tracksAll });
  const own = { client, clock: systemClock, random: systemRandom, metrics, gates };
  const logOf = ({ name }: Controller) => log.child({ controller: name });
  return Promise.all(chosen.map((each) => each.start({ ...own, log: logOf(each) })));
}

function isChosen({ controllers }: CoreOptions, name: string): boolean {
  return controllers === "all" || controllers.includes(name);
}

function ofNodes({ nodeGraceMs }: CoreOptions): readonly Controller[] {
  return [schedulerController, storageController, nodeLifecycle(nodeGraceMs), taintEviction];
}

function localTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
