/**
 * The composition root: opens the store, builds the server around it, listens, starts controllers.
 * The only file that knows every part; nothing imports it but the command line and tests.
 */
import { tokenVerifier } from "./access/token.ts";
import {
  type NodeAgent,
  type PreparedRuntime,
  prepareRuntime,
  startNodeAgent,
} from "./agent/node-agent.ts";
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
import { nodeLifecycle } from "./controllers/nodelifecycle/node-lifecycle.ts";
import { podCollector } from "./controllers/podgc/pod-collector.ts";
import { rootCaController } from "./controllers/rootca/root-ca-publisher.ts";
import type { Controller, RunningController } from "./controllers/runtime/controller.ts";
import { scheduledJobController } from "./controllers/scheduledjob/scheduledjob-controller.ts";
import { schedulerController } from "./controllers/scheduler/scheduler.ts";
import { defaultAccountController } from "./controllers/serviceaccount/default-account.ts";
import { statefulSetController } from "./controllers/statefulset/statefulset-controller.ts";
import { storageProtection } from "./controllers/storage/storage-protection.ts";
import { taintEviction } from "./controllers/tainteviction/taint-eviction.ts";
import { ttlController } from "./controllers/ttl/ttl-controller.ts";
import { workflowController } from "./controllers/workflow/workflow-controller.ts";
import {
  type CoreEngine,
  type CoreOptions,
  DATA_DIRECTORY_IN_USE,
  type Engine,
  type EngineOptions,
  type Served,
} from "./engine-options.ts";
import { verbsOf } from "./kinds/kind.ts";
import { registry } from "./kinds/registry.ts";
import { ledgerNotes } from "./ledger/ledger-notes.ts";
import { openAdmission } from "./server/admission/admission.ts";
import { bootstrap } from "./server/bootstrap.ts";
import { bearerAuthenticator, type Guard } from "./server/http/guard.ts";
import type { Listener, ListenOptions } from "./server/http/listen.ts";
import type { ApiServer, User } from "./server/http/request.ts";
import { INDEXES } from "./server/indexes.ts";
import { localLedger } from "./server/ledger/local-ledger.ts";
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
  const { log, featureGates: gates = DEFAULT_FEATURE_GATES } = options;
  const store = await openData(options.dataDir);
  // A process of its own, which takes its time to come up.
  const runtime = options.agent && prepareRuntime(options.dataDir, options.agent, log);
  const admission = openAdmission(store, { serviceCidr: options.serviceCidr });
  const machine = { clock: systemClock, random: systemRandom, log };
  const context = { store, admission, registry, gates, ...machine };
  const metrics = new Metrics();
  const listeners: Pick<Listener, "close">[] = [];
  let sweeper: Sweeper | undefined;
  let agent: NodeAgent | undefined;
  const running: RunningController[] = [];
  const stop = async (): Promise<void> => {
    // How its pods end is still to be written, and counted.
    if (agent) await agent.stop({ leavesRunning: options.agent?.onExit === "leave" });
    else
      await runtime?.then(
        (opened) => opened.close({ leavesRunning: true }),
        () => {},
      );
    for (const controller of running) controller.stop();
    sweeper?.stop();
    await Promise.all(listeners.map((listener) => listener.close()));
    admission.close();
    await store.close();
  };
  try {
    const server: ApiServer = {
      ...context,
      metrics,
      findUser: network ? guardOf(network).authenticate : () => ADMINISTRATOR,
      address: network ? `${network.address}:${network.port}` : "localhost",
      get logs() {
        return agent?.logs;
      },
    };
    const served = network && (await serveNetwork(server, network, listeners));
    bootstrap(context, served ?? UNSERVED);
    // Who is not told of it yet need not wait for the disk.
    if (network) await store.durable(store.revision);
    running.push(...(await startControllers(context, metrics, options, network)));
    sweeper = startSweeper(context);
    agent = await startAgent(context, metrics, options, runtime);
    // Last: whoever finds the socket finds all of it.
    if (options.socket !== undefined) {
      const listening = listenPrivately(server, options.socket, network ? 0 : LISTEN_AFTER_MS);
      listeners.push(listening);
      if (network) await listening.begun;
    }
    let stopping: Promise<void> | undefined;
    const engine: CoreEngine = {
      client: localClient(context),
      ledger: localLedger(store),
      stop: () => {
        stopping ??= stop();
        return stopping;
      },
    };
    return { engine, ...(served ? { served } : {}) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What the Service "kubernetes" names where nobody listens: what is usual. */
const UNSERVED = { address: "127.0.0.1", port: 6443 };

async function serveNetwork(
  server: ApiServer,
  options: EngineOptions,
  listeners: Pick<Listener, "close">[],
): Promise<Served & { readonly address: string; readonly port: number }> {
  const { address, port } = options;
  const secure = await listen(server, {
    address,
    port,
    tls: { cert: options.certificates.cert, key: options.certificates.key },
    guard: guardOf(options),
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
    guard: OPEN_GUARD,
  });
}

/**
 * The mode of the socket says who may speak. An engine inside a command has its own work to begin
 * first: others find it a moment later, or never, if it is through by then.
 */
function listenPrivately(server: ApiServer, socket: string, afterMs: number): LateListener {
  let open: Promise<Listener> | undefined;
  let onBegun: (listener?: Listener) => void = () => {};
  const begun = new Promise<Listener | undefined>((resolve) => {
    onBegun = resolve;
  });
  const timer = systemClock.schedule(afterMs, () => {
    open = listen(server, { socket, guard: OPEN_GUARD });
    open.then(onBegun, (error: unknown) => {
      server.log.error("nobody else can reach this engine", { error });
      onBegun();
    });
  });
  return {
    begun,
    close: async () => {
      timer.cancel();
      if (open) await (await begun)?.close();
    },
  };
}

interface LateListener extends Pick<Listener, "close"> {
  readonly begun: Promise<unknown>;
}

const LISTEN_AFTER_MS = 300;

/** With it come readers and writers of YAML and protobuf, which a run alone does not need. */
async function listen(server: ApiServer, options: ListenOptions): Promise<Listener> {
  const http = await import("./server/http/listen.ts");
  return http.listen(server, options);
}

const OPEN_GUARD: Guard = {
  hosts: new Set(LOOPBACK_HOSTS),
  authenticate: () => ADMINISTRATOR,
};

/** What can be listed, followed and deleted: what owners and namespaces take with them. */
const DELETABLE = registry.kinds.filter((kind) => {
  const verbs = verbsOf(kind);
  return verbs.includes("delete") && verbs.includes("list") && verbs.includes("watch");
});

async function startAgent(
  server: LocalServer & { readonly random: Random },
  metrics: Metrics,
  { agent, dataDir, log }: CoreOptions,
  runtime: PreparedRuntime | undefined,
): Promise<NodeAgent | undefined> {
  if (!agent || !runtime) return undefined;
  const { clock, random } = server;
  const client = localClient(server);
  const own = { client, clock, random, metrics, dataDir, log: log.child({ part: "agent" }) };
  return startNodeAgent({ ...own, ...agent, runtime });
}

async function startControllers(
  server: LocalServer,
  metrics: Metrics,
  options: CoreOptions,
  network: EngineOptions | undefined,
): Promise<RunningController[]> {
  const { controllers, log, featureGates: gates = DEFAULT_FEATURE_GATES } = options;
  const isChosen = (name: string) => controllers === "all" || controllers.includes(name);
  const all: Controller[] = [
    defaultAccountController,
    ...(network ? [rootCaController(network.certificates.ca)] : []),
    jobController(options.jobs),
    garbageCollector(DELETABLE),
    ttlController,
    endpointsController,
    ...(isChosen("cronjob") ? [cronJobController(localTimeZone())] : []),
    scheduledJobController,
    workflowController,
    statefulSetController,
    disruptionController,
    podCollector(),
    namespaceController(DELETABLE),
    // Without a node of our own whoever adds nodes looks after them, or names these.
    ...(options.agent || controllers !== "all" ? OF_NODES : []),
  ];
  if (controllers === "none") return [];
  const chosen = all.filter(({ name }) => isChosen(name));
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
