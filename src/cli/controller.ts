/** "tally controller": the controllers on a cluster, in the foreground until told to stop. */
import { inClusterAccess } from "../access/in-cluster.ts";
import type { ClientAccess } from "../access/read-kubeconfig.ts";
import { MANAGED_BY, MANAGED_NAMESPACE } from "../api/work-list/names.ts";
import { systemRandom } from "../base/random.ts";
import { CommandFailure } from "../command/command-failure.ts";
import { findAccess } from "../command/find-access.ts";
import type { Machine } from "../command/machine.ts";
import {
  type ControllerFlags,
  type ControllerSettings,
  readControllerFlags,
} from "./controller-flags.ts";
import { openCommandLog } from "./open-log.ts";
import { stopRequest } from "./stop-request.ts";

export async function controller(flags: ControllerFlags, machine: Machine): Promise<void> {
  const settings = readControllerFlags(flags);
  const log = openCommandLog(settings.logLevel, machine);
  const access = await accessOf(flags, machine);
  const { url, namespace: ownNamespace, ...identity } = access;
  const { isExposed, health, managedBy, namespace } = settings;
  if (isExposed) log.warn("other machines can read the metrics", { address: health?.address });
  const stop = stopRequest(machine, log);
  try {
    const { startRemoteControllers } = await import("../remote/remote-controllers.ts");
    const running = await startRemoteControllers({
      server: { server: url, ...identity, userAgent: "tally-controller" },
      jobs: { ...settings.jobs, managedBy, countsDelayMs: COUNTS_DELAY_MS },
      featureGates: settings.featureGates,
      ...(namespace === undefined ? {} : { namespace }),
      ...(settings.rateLimit ? { rateLimit: settings.rateLimit } : {}),
      contentType: settings.contentType,
      ...(health ? { health } : {}),
      ...electionOf(settings, ownNamespace, machine),
      log,
    });
    const told = running.healthUrl === undefined ? "" : `, health at ${running.healthUrl}`;
    machine.writeOut(`Tally looks after Jobs of ${managedBy} at ${url}${told}\n`);
    await Promise.race([stop.requested, running.ended]);
    await running.stop();
    log.info("stopped");
  } finally {
    stop.close();
  }
}

/** Half as long as Kubernetes' own controller gathers what pods tell. */
const COUNTS_DELAY_MS = 500;

/** Without a kubeconfig that is named, a process in a pod means the cluster of the pod. */
async function accessOf(flags: ControllerFlags, machine: Machine): Promise<ClientAccess> {
  const isNamed = flags.kubeconfig !== undefined || flags.context !== undefined;
  const within = isNamed ? undefined : await inClusterAccess(machine.environment);
  const access = within ?? (await findAccess(flags, machine));
  if (access) return access;
  throw new CommandFailure("error: there is no kubeconfig, and this is not a pod (--kubeconfig)");
}

/** Every process is a candidate of its own, also two in one place. */
function electionOf(
  { election, managedBy, namespace: watched }: ControllerSettings,
  ownNamespace: string,
  { hostName }: Machine,
) {
  if (!election) return {};
  const { name, namespace, terms } = election;
  const annotations = {
    [MANAGED_BY]: managedBy,
    ...(watched === undefined ? {} : { [MANAGED_NAMESPACE]: watched }),
  };
  const identity = `${hostName}_${systemRandom.uuid()}`;
  const place = namespace ?? (ownNamespace || DEFAULT_LEASE_NAMESPACE);
  return { election: { candidate: { identity, name, namespace: place, annotations }, terms } };
}

const DEFAULT_LEASE_NAMESPACE = "kube-system";
