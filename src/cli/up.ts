/** "tally up": runs the server in the foreground until it is told to stop. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ensureCertificates, serverNames } from "../access/certificates.ts";
import { type DataDirectory, openDataDirectory } from "../access/data-directory.ts";
import type { Access } from "../access/kubeconfig.ts";
import { ensureToken } from "../access/token.ts";
import { writeKubeconfig } from "../access/write-kubeconfig.ts";
import {
  addressAt,
  formatAddress,
  isUnspecified,
  parseAddress,
  parseCidr,
} from "../base/address.ts";
import { systemClock } from "../base/clock.ts";
import { notePlace } from "../base/known-places.ts";
import type { Log } from "../base/log.ts";
import { socketAddress } from "../base/socket-address.ts";
import { dataPath } from "../command/data-path.ts";
import type { Machine } from "../command/machine.ts";
import { shellWord } from "../command/shell-word.ts";
import {
  DATA_DIRECTORY_IN_USE,
  type Engine,
  type EngineOptions,
  type Served,
  SOCKET,
} from "../engine-options.ts";
import { leftRunningLine } from "./left-running.ts";
import { openCommandLog } from "./open-log.ts";
import { ownServiceRange, withOwnRange } from "./own-ranges.ts";
import { stopRequest } from "./stop-request.ts";
import { readUpFlags, type UpFlags, type UpSettings } from "./up-flags.ts";

/** An engine as far as this command deals with it. */
export type UpEngine = Served & Pick<Engine, "stop">;
export type StartEngine = (options: EngineOptions) => Promise<UpEngine>;

/**
 * Answers when the engine has stopped. The order matters: nothing is announced, and no kubeconfig
 * points anywhere, before the engine answers requests.
 */
export async function up(
  flags: UpFlags,
  machine: Machine,
  startEngine: StartEngine = startRealEngine,
): Promise<void> {
  const settings = readUpFlags(withOwnPods(flags, machine));
  const log = openCommandLog(settings.logLevel, machine);
  const stop = stopRequest(machine, log);
  try {
    const data = await openDataDirectory(dataPath(flags.data, machine));
    notePlace(data.path, machine);
    const options = await engineOptions(settings, data, { machine, log });
    warnOfExposure(settings, log);
    warnOfDisabledFeatures(settings, log);
    const engine = await startEngine(options).catch((cause) => {
      throw startFailure(cause, options);
    });
    try {
      const kubeconfig = resolve(machine.workingDirectory, flags.kubeconfig ?? data.kubeconfig);
      const access = {
        url: localUrl(engine.url),
        ca: options.certificates.ca,
        token: options.token,
      };
      await writeKubeconfig(kubeconfig, access);
      notePlace(kubeconfig, machine);
      if (flags.mergeKubeconfig) await mergeIntoUsersOwn(access, machine, log);
      if (engine.insecureUrl) log.warn("serving without a token", { url: engine.insecureUrl });
      machine.writeOut(`Tally is ready at ${access.url}  (${exportCommand(kubeconfig)})\n`);
      await stop.requested;
    } finally {
      const { leftRunning } = await engine.stop();
      log.info("stopped");
      const line = leftRunningLine(leftRunning, { adoptedBy: "tally up", data: flags.data });
      if (line !== undefined) machine.writeOut(`${line}\n`);
    }
  } finally {
    stop.close();
  }
}

/** Loaded when needed: a flag that is wrong is told without waiting for a server to load. */
async function startRealEngine(options: EngineOptions): Promise<UpEngine> {
  const { startEngine } = await import("../engine.ts");
  return startEngine(options);
}

async function engineOptions(
  settings: UpSettings,
  data: DataDirectory,
  { machine, log }: { readonly machine: Machine; readonly log: Log },
): Promise<EngineOptions> {
  const { address, port, insecurePort, agent, controllers, featureGates, jobs } = settings;
  const place = settings.hasOwnDirectory ? data.path : undefined;
  const serviceCidr = settings.serviceCidr ?? defaultServiceRange(settings, machine, place);
  const names = serverNames(reachableNames({ address, serviceCidr }, machine));
  const directory = data.certificates;
  const [certificates, token] = await Promise.all([
    ensureCertificates({ directory, names, clock: systemClock }),
    ensureToken(data.token),
  ]);
  return {
    dataDir: data.path,
    socket: socketAddress(data.path, SOCKET),
    address,
    port,
    ...(insecurePort === undefined ? {} : { insecurePort }),
    authorization: settings.authorization,
    ...auditOf(settings, machine),
    ...(await admissionOf(settings, machine)),
    ...(agent ? { agent } : {}),
    ...(settings.sharing ? { sharing: settings.sharing } : {}),
    controllers,
    serviceCidr,
    nodeGraceMs: settings.nodeGraceMs,
    featureGates,
    tracksAllFields: settings.tracksAllFields,
    jobs,
    certificates,
    token,
    log,
  };
}

function auditOf({ auditLog }: UpSettings, { workingDirectory }: Machine): { auditLog?: string } {
  return auditLog === undefined ? {} : { auditLog: resolve(workingDirectory, auditLog) };
}

async function admissionOf(
  { admissionFile }: UpSettings,
  { workingDirectory }: Machine,
): Promise<Pick<EngineOptions, "admission">> {
  if (admissionFile === undefined) return {};
  const file = resolve(workingDirectory, admissionFile);
  return { admission: { file, text: await readFile(file, "utf8") } };
}

/** Pods with networks of their own do not reach the loopback of the machine. */
function defaultServiceRange(
  { agent }: UpSettings,
  machine: Machine,
  ownDirectory: string | undefined,
): string {
  if (!agent || !machine.canMakeNetworks()) return LOOPBACK_SERVICES;
  return ownDirectory === undefined ? NETWORKED_SERVICES : ownServiceRange(ownDirectory);
}

/** A server in a directory of its own is not the only one of this machine. */
function withOwnPods(flags: UpFlags, machine: Machine): UpFlags {
  return flags.data === undefined ? flags : withOwnRange(flags, dataPath(flags.data, machine));
}

const NETWORKED_SERVICES = "10.214.0.0/16";
const LOOPBACK_SERVICES = "127.128.0.0/16";

/** The address of the service "kubernetes", that of the server, and the name of the machine. */
function reachableNames(
  { address, serviceCidr }: { readonly address: string; readonly serviceCidr: string },
  machine: Machine,
): string[] {
  const range = parseCidr(serviceCidr);
  const service = range ? [formatAddress(addressAt(range, 1))] : [];
  const isEverywhere = isUnspecified(parseAddress(address) ?? []);
  const own = isEverywhere ? machine.addresses().filter(parseAddress) : [address];
  return [...service, ...own, ...[machine.hostName].filter(isHostName)];
}

/** Names that certificates cannot carry, of which some machines have one, are left out. */
function isHostName(name: string): boolean {
  return /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(name);
}

function warnOfExposure({ isExposed, address }: UpSettings, log: Log): void {
  if (isExposed) log.warn("other machines can reach this server", { address });
}

function warnOfDisabledFeatures({ featureGates }: UpSettings, log: Log): void {
  const disabled = Object.entries(featureGates).flatMap(([name, isOn]) => (isOn ? [] : [name]));
  if (disabled.length > 0) log.warn("features are switched off", { gates: disabled.join(",") });
}

function startFailure(cause: unknown, { address, port, insecurePort, dataDir }: EngineOptions) {
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  const failed = cause instanceof Error && "port" in cause ? cause.port : port;
  switch (code) {
    case "EADDRINUSE": {
      const isInsecure = failed === insecurePort && failed !== port;
      const where = `port ${failed} on ${isInsecure ? "127.0.0.1" : address} is in use`;
      const flag = isInsecure ? "--insecure-port" : "--port";
      return new Error(`${where} (use ${flag} 0 for a free one)`);
    }
    case "EACCES":
      return new Error(`port ${failed} on ${address} may not be used by this user`);
    case "EADDRNOTAVAIL":
      return new Error(`${address} is not an address of this machine`);
    case DATA_DIRECTORY_IN_USE:
      return new Error(`${dataDir} is in use by another tally up (use --data for a second one)`);
    default:
      return cause;
  }
}

/** A server that listens everywhere is reached from here by the address that means "here". */
function localUrl(url: string): string {
  return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
}

async function mergeIntoUsersOwn(access: Access, machine: Machine, log: Log): Promise<void> {
  const { findUserKubeconfig, mergeKubeconfig } = await import("../access/merge-kubeconfig.ts");
  const file = await findUserKubeconfig(machine.environment, machine.home);
  await mergeKubeconfig(file, access);
  notePlace(file, machine);
  log.info("kubeconfig updated", { file });
}

function exportCommand(kubeconfig: string): string {
  return `export KUBECONFIG=${shellWord(kubeconfig)}`;
}
