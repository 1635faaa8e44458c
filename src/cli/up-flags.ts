/** Pure: the flags of "tally up": their defaults, and what is wrong with what was given. */
import {
  DEFAULT_FEATURE_GATES,
  type FeatureGates,
  parseFeatureGates,
} from "../api/feature-gates.ts";
import { parseGoDuration } from "../api/go-duration.ts";
import { dns1123Subdomain } from "../api/names.ts";
import { parseQuantity, wholeUnits } from "../api/quantity.ts";
import { isLoopback, parseAddress, parseCidr } from "../base/address.ts";
import { LOG_LEVELS, type LogLevel } from "../base/log-level.ts";
import { UsageError } from "../base/usage-error.ts";
import { wrong } from "../command/flags.ts";
import { readSandbox, SANDBOX_DEFAULTS, type SandboxFlags } from "../command/sandbox-flags.ts";
import {
  type AgentMeasures,
  AUTHORIZATION_MODES,
  type AuthorizationMode,
  CONTROLLERS,
  type EngineOptions,
  type JobMeasures,
} from "../engine-options.ts";
import { inSandboxes, readSharing } from "./sharing-flags.ts";

/** As given: every value is text, absent where the flag was not used. */
export interface UpFlags extends JobFlags, AgentMeasureFlags {
  readonly data?: string;
  readonly address: string;
  readonly port: string;
  readonly kubeconfig?: string;
  readonly mergeKubeconfig?: boolean;
  readonly insecurePort?: string;
  readonly authorizationMode: string;
  readonly auditLog?: string;
  readonly admissionControlConfigFile?: string;
  readonly shared?: boolean;
  readonly allowedRuntimes?: string;
  readonly agent: boolean;
  readonly controllers: string;
  readonly serviceClusterIpRange?: string;
  readonly nodeMonitorGracePeriod: string;
  readonly featureGates?: string;
  readonly trackAllFields?: boolean;
  readonly logLevel: string;
}

/** Of a node, wherever its server is. */
export interface AgentMeasureFlags extends SandboxFlags {
  readonly nodeName?: string;
  readonly maxPods: string;
  readonly onExit: string;
  readonly strictLimits?: boolean;
  readonly cgroups: boolean;
  readonly logMaxBytes: string;
  readonly onLogLimit: string;
}

/** Of the Job controller, wherever it runs. */
export interface JobFlags {
  readonly jobBackoffBase: string;
  readonly jobBackoffCap: string;
  readonly jobBatch: string;
  readonly concurrentJobSyncs: string;
  readonly jobPodsPerSync: string;
}

export const UP_DEFAULTS: UpFlags = {
  address: "127.0.0.1",
  port: "6443",
  authorizationMode: "RBAC",
  agent: true,
  maxPods: "10000",
  onExit: "leave",
  ...SANDBOX_DEFAULTS,
  cgroups: true,
  logMaxBytes: "0",
  onLogLimit: "cut",
  controllers: "all",
  nodeMonitorGracePeriod: "50s",
  jobBackoffBase: "10s",
  jobBackoffCap: "10m",
  jobBatch: "10ms",
  concurrentJobSyncs: "5",
  jobPodsPerSync: "500",
  logLevel: "info",
};

export interface UpSettings {
  readonly address: string;
  /** Whether other machines can reach the address. */
  readonly isExposed: boolean;
  readonly port: number;
  readonly insecurePort?: number;
  readonly authorization: AuthorizationMode;
  /** As given: relative to where the command was typed. */
  readonly auditLog?: string;
  /** As given, too. */
  readonly admissionFile?: string;
  readonly agent?: AgentMeasures;
  readonly sharing?: NonNullable<EngineOptions["sharing"]>;
  readonly controllers: EngineOptions["controllers"];
  /** Absent: one that suits the machine. */
  readonly serviceCidr?: string;
  /** It was named: there may be another server on this machine. */
  readonly hasOwnDirectory: boolean;
  readonly nodeGraceMs: number;
  readonly featureGates: FeatureGates;
  readonly tracksAllFields: boolean;
  readonly jobs: JobMeasures;
  readonly logLevel: LogLevel;
}

/** Throws a UsageError for the first flag that cannot be used. */
export function readUpFlags(flags: UpFlags): UpSettings {
  if (flags.data === "") throw wrong("--data", "", "must name a directory");
  if (flags.kubeconfig === "") throw wrong("--kubeconfig", "", "must name a file");
  const address = parseAddress(flags.address);
  if (address === undefined) {
    throw wrong("--address", flags.address, "must be an IP address");
  }
  const port = readPort("--port", flags.port);
  const insecurePort = readInsecurePort(flags.insecurePort, port);
  const sharing = readSharing(flags);
  return {
    address: flags.address,
    isExposed: !isLoopback(address),
    port,
    ...(insecurePort === undefined ? {} : { insecurePort }),
    authorization: readAuthorization(flags),
    ...(flags.auditLog === undefined ? {} : { auditLog: flags.auditLog }),
    ...readAdmission(flags),
    ...(flags.agent ? { agent: readAgent(sharing ? inSandboxes(flags) : flags) } : {}),
    ...(sharing ? { sharing } : {}),
    controllers: readControllers(flags.controllers),
    ...readServiceRange(flags.serviceClusterIpRange),
    hasOwnDirectory: flags.data !== undefined,
    nodeGraceMs: readNodeGrace(flags.nodeMonitorGracePeriod),
    featureGates: readFeatureGates(flags.featureGates),
    tracksAllFields: flags.trackAllFields ?? false,
    jobs: readJobs(flags),
    logLevel: readLogLevel(flags.logLevel),
  };
}

function readAdmission({
  admissionControlConfigFile: given,
}: UpFlags): Pick<UpSettings, "admissionFile"> {
  if (given === "") throw wrong("--admission-control-config-file", "", "must name a file");
  return given === undefined ? {} : { admissionFile: given };
}

function readAuthorization({ authorizationMode, auditLog }: UpFlags): AuthorizationMode {
  if (auditLog === "") throw wrong("--audit-log", "", "must name a file");
  const mode = AUTHORIZATION_MODES.find((each) => each === authorizationMode);
  if (mode !== undefined) return mode;
  const modes = AUTHORIZATION_MODES.join(" or ");
  throw wrong("--authorization-mode", authorizationMode, `must be ${modes}`);
}

export function readAgent(flags: AgentMeasureFlags): AgentMeasures {
  const { nodeName, onExit, onLogLimit } = flags;
  if (nodeName !== undefined && dns1123Subdomain(nodeName).length > 0) {
    throw wrong("--node-name", nodeName, 'must be a name such as "worker-1.example"');
  }
  if (onExit !== "terminate" && onExit !== "leave") {
    throw wrong("--on-exit", onExit, 'must be "terminate" or "leave"');
  }
  if (onLogLimit !== "cut" && onLogLimit !== "fail") {
    throw wrong("--on-log-limit", onLogLimit, 'must be "cut" or "fail"');
  }
  return {
    ...(nodeName === undefined ? {} : { nodeName }),
    maxPods: readCount("--max-pods", flags.maxPods),
    onExit,
    sandbox: readSandbox(flags),
    strictLimits: flags.strictLimits === true,
    usesCgroups: flags.cgroups,
    logMaxBytes: readBytes("--log-max-bytes", flags.logMaxBytes),
    onLogLimit,
  };
}

/** As Kubernetes writes amounts: "10Mi". */
function readBytes(flag: string, given: string): number {
  const parsed = parseQuantity(given);
  const bytes = "problem" in parsed ? Number.NaN : Number(wholeUnits(parsed));
  if (bytes >= 0) return bytes;
  throw wrong(flag, given, 'must be an amount such as "10Mi", or 0 for no limit');
}

export function readPort(flag: string, given: string): number {
  const port = /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
  if (port <= 65_535) return port;
  throw wrong(flag, given, "must be a number from 0 (any free port) to 65535");
}

function readInsecurePort(given: string | undefined, securePort: number): number | undefined {
  if (given === undefined) return undefined;
  const port = readPort("--insecure-port", given);
  if (port !== securePort || port === 0) return port;
  throw wrong("--insecure-port", given, "must differ from --port");
}

function readControllers(given: string): EngineOptions["controllers"] {
  if (given === "all" || given === "none") return given;
  const chosen = given.split(",").map((name) => name.trim());
  const unknown = chosen.find((name) => !CONTROLLERS.includes(name));
  if (unknown === undefined) return [...new Set(chosen)];
  const names = CONTROLLERS.join(", ");
  throw wrong("--controllers", unknown, `must be "all", "none" or some of ${names}`);
}

/**
 * The bounds are those of kube-apiserver: fewer than 8 addresses cannot serve a cluster, and a
 * range wider than 2^20 addresses (2^64 for IPv6) is taken for a mistake.
 */
function readServiceRange(given: string | undefined): Pick<UpSettings, "serviceCidr"> {
  if (given === undefined) return {};
  const flag = "--service-cluster-ip-range";
  const cidr = parseCidr(given);
  if (cidr === undefined) throw wrong(flag, given, 'must be a range such as "10.96.0.0/16"');
  const bits = cidr.network.length * 8;
  const widest = bits === 32 ? 12 : 64;
  const narrowest = bits - 3;
  if (cidr.prefixLength >= widest && cidr.prefixLength <= narrowest) return { serviceCidr: given };
  throw wrong(flag, given, `must have a prefix from /${widest} to /${narrowest}`);
}

/** Nodes are heard of every ten seconds. */
const LEAST_GRACE_MS = 15_000;

function readNodeGrace(given: string): number {
  const graceMs = readDurationMs("--node-monitor-grace-period", given);
  if (graceMs >= LEAST_GRACE_MS) return graceMs;
  throw wrong("--node-monitor-grace-period", given, "must be 15s or more");
}

export function readFeatureGates(given: string | undefined): FeatureGates {
  if (given === undefined) return DEFAULT_FEATURE_GATES;
  const parsed = parseFeatureGates(given);
  if ("gates" in parsed) return parsed.gates;
  throw new UsageError(`--feature-gates: ${parsed.problem}`);
}

export function readJobs(flags: JobFlags): JobMeasures {
  const firstMs = readDurationMs("--job-backoff-base", flags.jobBackoffBase);
  const maxMs = readDurationMs("--job-backoff-cap", flags.jobBackoffCap);
  if (maxMs < firstMs) {
    throw wrong("--job-backoff-cap", flags.jobBackoffCap, "must not be below --job-backoff-base");
  }
  return {
    backoff: { firstMs, maxMs },
    batch: { longestMs: readDurationMs("--job-batch", flags.jobBatch) },
    workers: readCount("--concurrent-job-syncs", flags.concurrentJobSyncs),
    podsPerSync: readCount("--job-pods-per-sync", flags.jobPodsPerSync),
  };
}

export function readDurationMs(flag: string, given: string): number {
  const parsed = parseGoDuration(given);
  if ("nanoseconds" in parsed && parsed.nanoseconds >= 0n) return Number(parsed.nanoseconds) / 1e6;
  throw wrong(flag, given, 'must be a duration such as "10s" or "1m30s"');
}

function readCount(flag: string, given: string): number {
  const count = /^\d{1,6}$/.test(given) ? Number(given) : 0;
  if (count > 0) return count;
  throw wrong(flag, given, "must be a number from 1 to 999999");
}

export function readLogLevel(given: string): LogLevel {
  const level = LOG_LEVELS.find((each) => each === given);
  if (level !== undefined) return level;
  throw wrong("--log-level", given, `must be one of ${LOG_LEVELS.join(", ")}`);
}
