/** Pure: from a run to what the spawner is asked for. */
import {
  formatRunName,
  type OrderedSettings,
  type RunName,
  type SandboxOrder,
  type StartOrder,
} from "../../spawner/protocol.ts";
import type { ExecRequest, Mount, ProcessSettings, RunRequest } from "../runtime.ts";

/** /dev/termination-log is the host's: what would be there in a container has another name. */
const MESSAGE_VARIABLE = "TALLY_TERMINATION_LOG";
/** Instead of ACCOUNT_PATH, which is the host's. */
const ACCOUNT_VARIABLE = "TALLY_SERVICEACCOUNT_DIR";
const ACCOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The directory is that of a run that names none. */
export function composeOrder(request: RunRequest, directory: string): StartOrder {
  const { id, command, workingDirectory, logFile, errorFile, limits, sandbox, place } = request;
  const { settings } = request;
  return {
    order: "start",
    run: formatRunName(id),
    command,
    environment: environmentOf(request),
    directory: workingDirectory ?? directory,
    logFile,
    ...(errorFile !== undefined && { errorFile }),
    ...(limits && { limits }),
    ...(settings && { settings: orderSettings(settings) }),
    ...(sandbox && { sandbox: { ...sandbox, ...furnitureOf(request) } }),
    ...(place !== undefined && { place }),
  };
}

export interface BesideRun {
  readonly run: RunName;
  readonly beside: RunName;
  /** What a sandbox has of its own is not changed from outside. */
  readonly isSandboxed: boolean;
}

export function composeExecOrder(
  { command, environment, workingDirectory, outputFile, settings }: ExecRequest,
  { run, beside, isSandboxed }: BesideRun,
  directory: string,
): StartOrder {
  return {
    order: "start",
    run,
    command,
    environment,
    directory: workingDirectory ?? directory,
    logFile: outputFile ?? "/dev/null",
    ...(settings && !isSandboxed && { settings: orderSettings(settings) }),
    beside,
  };
}

function orderSettings({ umask, limits }: ProcessSettings): OrderedSettings {
  return { umask, limits };
}

/** A sandbox has its files where Kubernetes has them. */
function environmentOf(request: RunRequest): StartOrder["environment"] {
  const { environment, messageFile, accountDirectory, sandbox } = request;
  if (messageFile === undefined && accountDirectory === undefined) return environment;
  const whole = [...environment];
  if (messageFile !== undefined) {
    whole.push([MESSAGE_VARIABLE, sandbox?.messagePath ?? messageFile]);
  }
  if (accountDirectory !== undefined) {
    whole.push([ACCOUNT_VARIABLE, sandbox ? ACCOUNT_PATH : accountDirectory]);
  }
  return whole;
}

function furnitureOf(request: RunRequest): Pick<SandboxOrder, "mounts" | "messageFile"> {
  const { mounts = [], messageFile, accountDirectory, sandbox } = request;
  const account: readonly Mount[] =
    accountDirectory === undefined || mounts.some(({ mountPath }) => mountPath === ACCOUNT_PATH)
      ? []
      : [{ source: accountDirectory, mountPath: ACCOUNT_PATH, isReadOnly: true }];
  const shared = (sandbox?.sharedPaths ?? []).map((path): Mount => {
    return { source: path, mountPath: path, isReadOnly: false };
  });
  return {
    mounts: [...shared, ...mounts, ...account],
    ...(messageFile === undefined ? {} : { messageFile }),
  };
}
