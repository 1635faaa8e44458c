/**
 * The composition root: opens the store, builds the server around it, listens, starts controllers.
 * The only file that knows every part; nothing imports it but the command line and tests.
 */
import { tokenVerifier } from "./access/token.ts";
import { type NodeAgent, startNodeAgent } from "./agent/node-agent.ts";
import { DEFAULT_FEATURE_GATES } from "./api/feature-gates.ts";
import { systemClock } from "./base/clock.ts";
import { DirectoryInUse } from "./base/directory-lock.ts";
import { Metrics } from "./base/metrics.ts";
import { type Random, systemRandom } from "./base/random.ts";
import { type LocalServer, localClient } from "./client/local.ts";
import { cronJobController } from "./controllers/cronjob/cronjob-controller.ts";
import { disruptionController } from "./controllers/disruption/disruption-controller.ts";
import { endpointsController } from "./controllers/endpoints/endpoints-controller.ts";
import { garbageCollector } from "./controllers/garbage/garbage-collector.ts";
import { jobController } from "./controllers/job/job-controller.ts";
import { namespaceController } from "./controllers/namespace/namespace-controller.ts";
import { rootCaController } from "./controllers/rootca/root-ca-publisher.ts";
import { nodeLifecycle } from "./controllers/nodelifecycle/node-lifecycle.ts";
import { podCollector } from "./controllers/podgc/pod-collector.ts";
import type { Controller, RunningController } from "./controllers/runtime/controller.ts";
import { schedulerController } from "./controllers/scheduler/scheduler.ts";
import { defaultAccountController } from "./controllers/serviceaccount/default-account.ts";
import { statefulSetController } from "./controllers/statefulset/statefulset-controller.ts";
import { storageProtection } from "./controllers/storage/storage-protection.ts";
import { taintEviction } from "./controllers/tainteviction/taint-eviction.ts";
import { ttlController } from "./controllers/ttl/ttl-controller.ts";
import { DATA_DIRECTORY_IN_USE, type Engine, type EngineOptions } from "./engine-options.ts";
import { verbsOf } from "./kinds/kind.ts";
import { registry } from "./kinds/registry.ts";
import { ledgerNotes } from "./ledger/ledger-notes.ts";
import { openAdmission } from "./server/admission/admission.ts";
import { bootstrap } from "./server/bootstrap.ts";
import { bearerAuthenticator, type Guard } from "./server/http/guard.ts";
import { type Listener, listen } from "./server/http/listen.ts";
import type { ApiServer, User } from "./server/http/request.ts";
import { INDEXES } from "./server/indexes.ts";
import { type Sweeper, startSweeper } from "./server/ledger/sweep.ts";
import { openStore } from "./store/open.ts";
import type { NotesOf, Store } from "./store/types.ts";

const ADMINISTRATOR: User = {
  name: "tally-admin",
  groups: ["system:masters", "system:authenticated"],
};

/** Names a client on this machine may call the server by. */
const LOOPBACK_HOSTS = ["127.0.0.1", "localhost", "[::1]", "::1"];
const SERVICE_HOSTS = [
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];

export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { log, featureGates: gates = DEFAULT_FEATURE_GATES } = options;
  const store = await openData(options.dataDir);
  const admission = openAdmission(store, { serviceCidr: options.serviceCidr });
  const machine = { clock: systemClock, random: systemRandom, log };
  const context = { store, admission, registry, gates, ...machine };
  const metrics = new Metrics();
  const listeners: Listener[] = [];
  let sweeper: Sweeper | undefined;
  let agent: NodeAgent | undefined;
  const running: RunningController[] = [];
  const stop = async (): Promise<void> => {
    // How its pods end is still to be written, and counted.
    await agent?.stop({ leavesRunning: options.agent?.onExit === "leave" });
    for (const controller of running) controller.stop();
    sweeper?.stop();
    await Promise.all(listeners.map((listener) => listener.close()));
    admission.close();
    await store.close();
  };
  try {
    const guard = guardOf(options);
    const server: ApiServer = {
      ...context,
      metrics,
      findUser: guard.authenticate,
      address: `${options.address}:${options.port}`,
      get logs() {
        return agent?.logs;
      },
    };
    const secure = await listen(server, {
      address: options.address,
      port: options.port,
      tls: { cert: options.certificates.cert, key: options.certificates.key },
      guard,
    });
    listeners.push(secure);
    const insecure = await listenInsecurely(server, options);
    if (insecure) listeners.push(insecure);
    bootstrap(context, { address: options.address, port: secure.port });
    await store.durable(store.revision);
    running.push(...(await startControllers(context, metrics, options)));
    sweeper = startSweeper(context);
    agent = await startAgent(context, metrics, options);
    let stopping: Promise<void> | undefined;
    return {
      url: `https://${bracketed(options.address)}:${secure.port}`,
      ...(insecure ? { insecureUrl: `http://127.0.0.1:${insecure.port}` } : {}),
      stop: () => {
        stopping ??= stop();
        return stopping;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
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

function guardOf(options: EngineOptions): Guard {
  const own = [bracketed(options.address), options.address];
  return {
    hosts: new Set([...LOOPBACK_HOSTS, ...SERVICE_HOSTS, ...own]),
    authenticate: bearerAuthenticator(tokenVerifier(options.token), ADMINISTRATOR),
  };
}

function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

async function listenInsecurely(
  server: ApiServer,
  options: EngineOptions,
): Promise<Listener | undefined> {
  if (options.insecurePort === undefined) return undefined;
  return listen(server, {
    address: "127.0.0.1",
    port: options.insecurePort,
    guard: { hosts: new Set(LOOPBACK_HOSTS), authenticate: () => ADMINISTRATOR },
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
  { agent, dataDir, log }: EngineOptions,
): Promise<NodeAgent | undefined> {
  if (!agent) return undefined;
  const { clock, random } = server;
  const client = localClient(server);
  const own = { client, clock, random, metrics, dataDir, log: log.child({ part: "agent" }) };
  return startNodeAgent({ ...own, ...agent });
}

async function startControllers(
  server: LocalServer,
  metrics: Metrics,
  options: EngineOptions,
): Promise<RunningController[]> {
  const { controllers, log, featureGates: gates = DEFAULT_FEATURE_GATES } = options;
  const all: Controller[] = [
    defaultAccountController,
    rootCaController(options.certificates.ca),
    jobController(options.jobs),
    garbageCollector(DELETABLE),
    ttlController,
    endpointsController,
    cronJobController(localTimeZone()),
    statefulSetController,
    disruptionController,
    podCollector(),
    namespaceController(DELETABLE),
    // Without a node of our own whoever adds nodes looks after them, or names these.
    ...(options.agent || controllers !== "all" ? OF_NODES : []),
  ];
  if (controllers === "none") return [];
  const chosen = controllers === "all" ? all : all.filter(({ name }) => controllers.includes(name));
  const client = localClient(server);
  return Promise.all(
    chosen.map((controller) =>
      controller.start({
        client,
        clock: systemClock,
        random: systemRandom,
        metrics,
        gates,
        log: log.child({ controller: controller.name }),
      }),
    ),
  );
}

const OF_NODES: readonly Controller[] = [
  schedulerController,
  storageProtection,
  nodeLifecycle,
  taintEviction,
];

function localTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
