/** Pure: validates probes and lifecycle hooks. */
import { type Finding, forbidden, invalid, notSupported, required } from "../../api/finding.ts";
import type {
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
  ProbeHandler,
} from "../../api/generated/core.ts";
import { validateNonnegative } from "../meta/object-meta.ts";
import { httpHeaderName, invalidEach, validatePort } from "./syntax.ts";

interface Probes {
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
}

export function validateProbes(container: Probes, path: string): Finding[] {
  const { livenessProbe, readinessProbe, startupProbe } = container;
  return [
    ...validateHealthProbe(livenessProbe, `${path}.livenessProbe`),
    ...validateReadinessProbe(readinessProbe, `${path}.readinessProbe`),
    ...validateHealthProbe(startupProbe, `${path}.startupProbe`),
  ];
}

export function validateLifecycle(
  lifecycle: Lifecycle,
  path: string,
  gracePeriod: number | undefined,
): Finding[] {
  const { postStart, preStop } = lifecycle;
  return [
    ...(postStart ? validateHandler(postStart, `${path}.postStart`, gracePeriod) : []),
    ...(preStop ? validateHandler(preStop, `${path}.preStop`, gracePeriod) : []),
  ];
}

/** For liveness and startup probes a single success must be sufficient. */
function validateHealthProbe(probe: Probe | undefined, path: string): Finding[] {
  if (probe === undefined) return [];
  const findings = validateProbe(probe, path);
  const { successThreshold = 0 } = probe;
  if (successThreshold === 1) return findings;
  return [...findings, invalid(`${path}.successThreshold`, successThreshold, "must be 1")];
}

function validateReadinessProbe(probe: Probe | undefined, path: string): Finding[] {
  if (probe === undefined) return [];
  const findings = validateProbe(probe, path);
  const { terminationGracePeriodSeconds } = probe;
  if (terminationGracePeriodSeconds === undefined) return findings;
  const detail = "must not be set for readinessProbes";
  const field = `${path}.terminationGracePeriodSeconds`;
  return [...findings, invalid(field, terminationGracePeriodSeconds, detail)];
}

const PROBE_NUMBERS = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

function validateProbe(probe: Probe, path: string): Finding[] {
  const { terminationGracePeriodSeconds: grace } = probe;
  return [
    ...validateHandler(probe, path, undefined),
    ...PROBE_NUMBERS.flatMap((field) => validateNonnegative(probe[field] ?? 0, `${path}.${field}`)),
    ...(grace !== undefined && grace <= 0
      ? [invalid(`${path}.terminationGracePeriodSeconds`, grace, "must be greater than 0")]
      : []),
  ];
}

type Handler = ProbeHandler & LifecycleHandler;

const HANDLERS = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const;

function validateHandler(
  handler: Handler,
  path: string,
  gracePeriod: number | undefined,
): Finding[] {
  const [first, ...others] = HANDLERS.filter((field) => handler[field] !== undefined);
  if (first === undefined) return [required(path, "must specify a handler type")];
  return [
    ...validateAction(handler, path, gracePeriod),
    ...others.map((field) =>
      forbidden(`${path}.${field}`, "may not specify more than 1 handler type"),
    ),
  ];
}

function validateAction(
  { exec, httpGet, tcpSocket, grpc, sleep }: Handler,
  path: string,
  gracePeriod: number | undefined,
): Finding[] {
  if (exec) {
    return (exec.command ?? []).length === 0 ? [required(`${path}.exec.command`)] : [];
  }
  if (httpGet) return validateHttpGet(httpGet, `${path}.httpGet`);
  if (tcpSocket) return validatePort(tcpSocket.port, `${path}.tcpSocket.port`);
  if (grpc) return validatePort(grpc.port, `${path}.grpc.port`);
  if (!sleep || gracePeriod === undefined) return [];
  if (sleep.seconds >= 0 && sleep.seconds <= gracePeriod) return [];
  const rule = "must be non-negative and less than terminationGracePeriodSeconds";
  return [invalid(`${path}.sleep`, sleep.seconds, `${rule} (${gracePeriod})`)];
}

const SCHEMES = ["HTTP", "HTTPS"];

function validateHttpGet(action: HTTPGetAction, path: string): Finding[] {
  const { path: url = "", port, scheme = "", httpHeaders = [] } = action;
  return [
    ...(url === "" ? [required(`${path}.path`)] : []),
    ...validatePort(port, `${path}.port`),
    ...(SCHEMES.includes(scheme) ? [] : [notSupported(`${path}.scheme`, scheme, SCHEMES)]),
    ...httpHeaders.flatMap(({ name }) =>
      invalidEach(`${path}.httpHeaders`, name, httpHeaderName(name)),
    ),
  ];
}
