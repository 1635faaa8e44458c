/** Pure: the flags of "tally controller": their defaults, and what is wrong with what was given. */
import type { FeatureGates } from "../api/feature-gates.ts";
import { dns1123Label, dns1123Subdomain } from "../api/names.ts";
import { isLoopback, parseAddress } from "../base/address.ts";
import type { LogLevel } from "../base/log-level.ts";
import { wrong } from "../command/flags.ts";
import type { JobMeasures } from "../engine-options.ts";
import { DEFAULT_TERMS, type LeaseTerms } from "../remote/lease.ts";
import {
  type JobFlags,
  readDurationMs,
  readFeatureGates,
  readJobs,
  readLogLevel,
  readPort,
  UP_DEFAULTS,
} from "./up-flags.ts";

/** As given: every value is text, absent where the flag was not used. */
export interface ControllerFlags extends JobFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly managedBy: string;
  readonly leaderElect?: boolean;
  readonly leaderElectResourceName: string;
  readonly leaderElectResourceNamespace?: string;
  readonly leaderElectLeaseDuration: string;
  readonly leaderElectRenewDeadline: string;
  readonly leaderElectRetryPeriod: string;
  readonly kubeApiQps: string;
  readonly kubeApiBurst: string;
  readonly kubeApiContentType: string;
  readonly healthAddress: string;
  readonly healthPort: string;
  readonly health: boolean;
  readonly featureGates?: string;
  readonly logLevel: string;
}

export const CONTROLLER_DEFAULTS = {
  managedBy: "tallyjob.io/job-controller",
  leaderElectResourceName: "tallyjob-controller",
  leaderElectLeaseDuration: `${DEFAULT_TERMS.leaseMs / 1000}s`,
  leaderElectRenewDeadline: `${DEFAULT_TERMS.renewDeadlineMs / 1000}s`,
  leaderElectRetryPeriod: `${DEFAULT_TERMS.retryMs / 1000}s`,
  kubeApiQps: "100",
  kubeApiBurst: "200",
  kubeApiContentType: "application/json",
  healthAddress: "127.0.0.1",
  healthPort: "10277",
  jobBackoffBase: UP_DEFAULTS.jobBackoffBase,
  jobBackoffCap: UP_DEFAULTS.jobBackoffCap,
  jobBatch: "100ms",
  concurrentJobSyncs: "10",
  jobPodsPerSync: UP_DEFAULTS.jobPodsPerSync,
  logLevel: UP_DEFAULTS.logLevel,
} as const;

export interface ControllerSettings {
  readonly namespace?: string;
  readonly managedBy: string;
  readonly election?: {
    readonly name: string;
    readonly namespace?: string;
    readonly terms: LeaseTerms;
  };
  readonly rateLimit?: { readonly qps: number; readonly burst: number };
  readonly contentType: "json" | "protobuf";
  readonly health?: { readonly address: string; readonly port: number };
  /** Whether other machines can read the metrics. */
  readonly isExposed: boolean;
  readonly jobs: JobMeasures;
  readonly featureGates: FeatureGates;
  readonly logLevel: LogLevel;
}

/** Throws a UsageError for the first flag that cannot be used. */
export function readControllerFlags(flags: ControllerFlags): ControllerSettings {
  if (flags.kubeconfig === "") throw wrong("--kubeconfig", "", "must name a file");
  const { namespace } = flags;
  if (namespace !== undefined && dns1123Label(namespace).length > 0) {
    throw wrong("--namespace", namespace, 'must be a name such as "batch"');
  }
  const address = parseAddress(flags.healthAddress);
  if (address === undefined) {
    throw wrong("--health-address", flags.healthAddress, "must be an IP address");
  }
  const port = readPort("--health-port", flags.healthPort);
  const rateLimit = readRateLimit(flags);
  return {
    ...(namespace === undefined ? {} : { namespace }),
    managedBy: readManager(flags.managedBy),
    ...(flags.leaderElect ? { election: readElection(flags) } : {}),
    ...(rateLimit ? { rateLimit } : {}),
    contentType: readContentType(flags.kubeApiContentType),
    ...(flags.health ? { health: { address: flags.healthAddress, port } } : {}),
    isExposed: flags.health && !isLoopback(address),
    jobs: readJobs(flags),
    featureGates: readFeatureGates(flags.featureGates),
    logLevel: readLogLevel(flags.logLevel),
  };
}

/** As spec.managedBy is checked: "example.com/name", and not the one that Kubernetes runs. */
function readManager(given: string): string {
  const [domain = "", name = "", ...more] = given.split("/");
  const isWellFormed = more.length === 0 && dns1123Subdomain(domain).length === 0 && name !== "";
  if (!isWellFormed || given.length > LONGEST_MANAGER) {
    throw wrong("--managed-by", given, 'must be such as "example.com/controller"');
  }
  if (given === BUILT_IN) throw wrong("--managed-by", given, "must not be Kubernetes' own");
  return given;
}

const LONGEST_MANAGER = 63;
const BUILT_IN = "kubernetes.io/job-controller";

function readElection(flags: ControllerFlags): ControllerSettings["election"] & object {
  const { leaderElectResourceName: name, leaderElectResourceNamespace: namespace } = flags;
  if (dns1123Subdomain(name).length > 0) {
    throw wrong("--leader-elect-resource-name", name, 'must be a name such as "tally"');
  }
  const duration = flags.leaderElectLeaseDuration;
  const deadline = flags.leaderElectRenewDeadline;
  const terms = {
    leaseMs: readDurationMs("--leader-elect-lease-duration", duration),
    renewDeadlineMs: readDurationMs("--leader-elect-renew-deadline", deadline),
    retryMs: readDurationMs("--leader-elect-retry-period", flags.leaderElectRetryPeriod),
  };
  if (terms.leaseMs <= terms.renewDeadlineMs) {
    const rule = "must be longer than --leader-elect-renew-deadline";
    throw wrong("--leader-elect-lease-duration", duration, rule);
  }
  if (terms.leaseMs < 1_000) {
    throw wrong("--leader-elect-lease-duration", duration, "must be a second or more");
  }
  // Room for a renewal that fails once.
  if (terms.retryMs <= 0 || terms.renewDeadlineMs <= terms.retryMs * JITTER) {
    const rule = `must be longer than --leader-elect-retry-period times ${JITTER}`;
    throw wrong("--leader-elect-renew-deadline", deadline, rule);
  }
  return { name, ...(namespace === undefined ? {} : { namespace }), terms };
}

const JITTER = 1.2;

function readRateLimit({ kubeApiQps, kubeApiBurst }: ControllerFlags) {
  const qps = /^\d{1,6}(\.\d{1,3})?$/.test(kubeApiQps) ? Number(kubeApiQps) : Number.NaN;
  if (Number.isNaN(qps)) {
    throw wrong("--kube-api-qps", kubeApiQps, "must be a number, or 0 for no limit");
  }
  const burst = /^\d{1,6}$/.test(kubeApiBurst) ? Number(kubeApiBurst) : 0;
  if (burst < 1) throw wrong("--kube-api-burst", kubeApiBurst, "must be a number from 1");
  return qps === 0 ? undefined : { qps, burst };
}

function readContentType(given: string): ControllerSettings["contentType"] {
  const found = CONTENT_TYPES.get(given);
  if (found !== undefined) return found;
  const known = [...CONTENT_TYPES.keys()].join(" or ");
  throw wrong("--kube-api-content-type", given, `must be ${known}`);
}

const CONTENT_TYPES: ReadonlyMap<string, ControllerSettings["contentType"]> = new Map([
  ["application/vnd.kubernetes.protobuf", "protobuf"],
  ["application/json", "json"],
]);
