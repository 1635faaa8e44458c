/**
 * The composition root on a cluster: Tally's controllers as clients of another API server. They
 * keep no state of their own, so that a process that is killed can be replaced by any other.
 *
 * Reading order: this file, then leader-election with lease, fenced-client, ledger-controller,
 * installed-kinds.
 */
import type { Client } from "../api/client.ts";
import type { FeatureGates } from "../api/feature-gates.ts";
import { systemClock } from "../base/clock.ts";
import { logOnSignal } from "../base/diagnostics-signal.ts";
import type { Log } from "../base/log.ts";
import { Metrics } from "../base/metrics.ts";
import { systemRandom } from "../base/random.ts";
import { protobufForm } from "../client/protobuf-form.ts";
import type { RateLimit } from "../client/rate-limit.ts";
import { type RemoteClient, remoteClient } from "../client/remote.ts";
import type { AccessOptions } from "../client/renewing-connection.ts";
import { type JobControllerOptions, jobController } from "../controllers/job/job-controller.ts";
import type { Controller, RunningController } from "../controllers/runtime/controller.ts";
import { fenced } from "./fenced-client.ts";
import { type HealthListener, listenForHealth } from "./health-listener.ts";
import { inNamespace } from "./in-namespace.ts";
import { startInstalled } from "./installed-kinds.ts";
import { standForElection, type Term } from "./leader-election.ts";
import type { Candidate, LeaseTerms } from "./lease.ts";
import { ledgerController } from "./ledger-controller.ts";

export interface RemoteControllersOptions {
  readonly server: AccessOptions;
  /** Absent: all namespaces. */
  readonly namespace?: string;
  readonly jobs: JobControllerOptions;
  readonly featureGates: FeatureGates;
  /** Absent: requests are not limited. */
  readonly rateLimit?: RateLimit;
  /** The encoding of objects. Custom resources always use JSON. */
  readonly contentType: "json" | "protobuf";
  /** Absent: no leader election; this process always leads. */
  readonly election?: { readonly candidate: Candidate; readonly terms: LeaseTerms };
  /** Absent: no health endpoints. */
  readonly health?: { readonly address: string; readonly port: number };
  readonly log: Log;
}

export interface RemoteControllers {
  readonly healthUrl?: string;
  /** Resolves when it has stopped. Rejects if it could not continue. */
  readonly ended: Promise<void>;
  /** Stops the controllers and releases the lease. */
  stop(): Promise<void>;
}

export async function startRemoteControllers(
  options: RemoteControllersOptions,
): Promise<RemoteControllers> {
  const metrics = new Metrics();
  const leads = metrics.gauge("leader_election_master_status", LEADS_HELP, ["name"]);
  const name = options.election?.candidate.name ?? "none";
  leads.set({ name }, 0);
  const condition: Condition = {};
  const health = await listen(options, metrics, condition);
  const stopping = new AbortController();
  const lead = async (term: Term): Promise<void> => {
    condition.term = term;
    leads.set({ name }, 1);
    try {
      await leadUntilEnd(options, metrics, term);
    } finally {
      leads.set({ name }, 0);
      delete condition.term;
    }
  };
  const listening = logOnSignal(metrics.diagnostics, options.log);
  const ended = runTerms(options, lead, stopping.signal)
    .finally(() => health?.close())
    .finally(() => listening.close());
  ended.catch(() => {});
  return {
    ...(health ? { healthUrl: health.url } : {}),
    ended,
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
}

const LEADS_HELP = "Whether this process leads (1) or waits (0).";

/** The current state, for the health endpoints. */
interface Condition {
  term?: Term;
}

async function listen(
  { health }: RemoteControllersOptions,
  metrics: Metrics,
  condition: Condition,
): Promise<HealthListener | undefined> {
  if (!health) return undefined;
  return listenForHealth({
    ...health,
    metrics,
    // A process that waits to become leader is healthy.
    findIllness: () =>
      condition.term && !condition.term.isSure() ? "the lease was not renewed" : undefined,
    isReady: () => true,
  });
}

async function runTerms(
  { server, election, log }: RemoteControllersOptions,
  lead: (term: Term) => Promise<void>,
  stop: AbortSignal,
): Promise<void> {
  if (!election) return lead({ isSure: () => true, signal: stop });
  const { candidate, terms } = election;
  // A separate connection, so that many other requests cannot delay the renewal of the lease.
  const client = remoteClient({ ...server, timeoutMs: terms.renewDeadlineMs / 2 });
  try {
    await standForElection({ client, clock: systemClock, log, candidate, terms, lead }, stop);
  } finally {
    client.close();
  }
}

/** Each term starts from scratch, with its own caches, queues and connections. */
async function leadUntilEnd(
  options: RemoteControllersOptions,
  metrics: Metrics,
  term: Term,
): Promise<void> {
  const { server, namespace, rateLimit, contentType, log } = options;
  const remote = remoteClient({
    ...server,
    metrics,
    ...(rateLimit ? { rateLimit } : {}),
    ...(contentType === "protobuf" ? { formOf: protobufForm } : {}),
  });
  const fence = fenced(remote, term.isSure);
  const client = namespace === undefined ? fence.client : inNamespace(fence.client, namespace);
  const ended = new Promise<void>((resolve) => {
    if (term.signal.aborted) resolve();
    else term.signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const running: RunningController[] = [];
  let isOver = false;
  const start = starter(options, metrics, client);
  // A controller that finishes starting after the end of the term is stopped at once.
  const add = (controller: RunningController): void => {
    if (isOver) controller.stop();
    else running.push(controller);
  };
  const starting = startJobs(options, start, add);
  starting.catch(() => {});
  try {
    await Promise.race([starting, ended]);
    if (!term.signal.aborted) {
      running.push(startInstalled({ client, clock: systemClock, log, start }));
    }
    await ended;
  } finally {
    isOver = true;
    for (const controller of running) controller.stop();
    await lastAnswers(fence, remote, term);
  }
}

type Start = (controller: Controller) => Promise<RunningController>;

async function startJobs(
  { jobs }: RemoteControllersOptions,
  start: Start,
  add: (controller: RunningController) => void,
): Promise<void> {
  // Start the ledger first: a pod may be deleted as soon as the Job controller has counted it.
  if (jobs.managedBy !== undefined) add(await start(ledgerController(jobs.managedBy)));
  add(await start(jobController(jobs)));
}

function starter(
  { featureGates: gates, log }: RemoteControllersOptions,
  metrics: Metrics,
  client: Client,
): Start {
  const shared = { client, clock: systemClock, random: systemRandom, metrics, gates };
  return (controller) =>
    controller.start({ ...shared, log: log.child({ controller: controller.name }) });
}

/**
 * While still leading, waits for the answers to sent requests. Otherwise closes the connections, so
 * that pending requests have no effect.
 */
async function lastAnswers(
  fence: { close(): Promise<void> },
  remote: RemoteClient,
  term: Term,
): Promise<void> {
  const answered = fence.close();
  if (term.isSure()) {
    await Promise.race([
      answered,
      new Promise<void>((resolve) => systemClock.schedule(LAST_ANSWERS_MS, resolve)),
    ]);
  }
  remote.close();
}

const LAST_ANSWERS_MS = 5_000;
