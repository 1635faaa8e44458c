/**
 * The composition root: opens the store, builds the server around it, listens, starts controllers.
 * The only file that knows every part; nothing imports it but the command line and tests.
 */
import { tokenVerifier } from "./access/token.ts";
import { systemClock } from "./base/clock.ts";
import { Metrics } from "./base/metrics.ts";
import { systemRandom } from "./base/random.ts";
import { type LocalServer, localClient } from "./client/local.ts";
import { garbageCollector } from "./controllers/garbage/garbage-collector.ts";
import { jobController } from "./controllers/job/job-controller.ts";
import { namespaceController } from "./controllers/namespace/namespace-controller.ts";
import { rootCaController } from "./controllers/rootca/root-ca-publisher.ts";
import type { Controller, RunningController } from "./controllers/runtime/controller.ts";
import { defaultAccountController } from "./controllers/serviceaccount/default-account.ts";
import { ttlController } from "./controllers/ttl/ttl-controller.ts";
import { DATA_DIRECTORY_IN_USE, type Engine, type EngineOptions } from "./engine-options.ts";
import { verbsOf } from "./kinds/kind.ts";
import { registry } from "./kinds/registry.ts";
import { openAdmission } from "./server/admission/admission.ts";
import { bootstrap } from "./server/bootstrap.ts";
import { bearerAuthenticator, type Guard } from "./server/http/guard.ts";
import { type Listener, listen } from "./server/http/listen.ts";
import type { ApiServer, User } from "./server/http/request.ts";
import { INDEXES } from "./server/indexes.ts";
import { DirectoryInUse } from "./store/lock.ts";
import { openStore } from "./store/open.ts";
import type { Store } from "./store/types.ts";

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
  const { log } = options;
  const store = await openData(options.dataDir);
  const admission = openAdmission(store, { serviceCidr: options.serviceCidr });
  const context = { store, admission, registry, clock: systemClock, random: systemRandom, log };
  const metrics = new Metrics();
  const listeners: Listener[] = [];
  const running: RunningController[] = [];
  const stop = async (): Promise<void> => {
    for (const controller of running) controller.stop();
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
    return await openStore({ dataDir, indexes: INDEXES });
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

async function startControllers(
  server: LocalServer,
  metrics: Metrics,
  options: EngineOptions,
): Promise<RunningController[]> {
  const { controllers, log } = options;
  const all: Controller[] = [
    defaultAccountController,
    rootCaController(options.certificates.ca),
    jobController(),
    garbageCollector(DELETABLE),
    ttlController,
    namespaceController(DELETABLE),
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
        log: log.child({ controller: controller.name }),
      }),
    ),
  );
}
