/** Pure: the containers of a pod or of its template. */

import { quote } from "../../api/finding.ts";
import type {
  Container,
  ContainerPort,
  ContainerState,
  ContainerStatus,
  Pod,
  ResourceRequirements,
} from "../../api/generated/core.ts";
import { environmentLines } from "./environment.ts";
import { field, indent, type Lines, localTime, sortedEntries, yesNo } from "./fields.ts";
import { probeText } from "./probe.ts";

export interface ContainersOf {
  readonly title: string;
  readonly containers: readonly Container[];
  readonly statuses?: readonly ContainerStatus[];
  /** Absent for a template. */
  readonly pod?: Pod;
}

export function containersLines({ title, containers, statuses = [], pod }: ContainersOf): Lines {
  const before = pod ? "" : "  ";
  return [
    `${before}${title}:${containers.length === 0 ? " <none>" : ""}`,
    ...containers.flatMap((container) => {
      const status = statuses.find(({ name }) => name === container.name);
      return [`  ${pod ? "" : " "}${container.name}:`, ...containerLines(container, status, pod)];
    }),
  ];
}

function containerLines(
  container: Container,
  status: ContainerStatus | undefined,
  pod: Pod | undefined,
): Lines {
  const { image = "", ports, command, args, resources, securityContext } = container;
  const seccomp = securityContext?.seccompProfile;
  return [
    ...(status ? [field("Container ID", status.containerID ?? "", 2)] : []),
    field("Image", image, 2),
    ...(status ? [field("Image ID", status.imageID, 2)] : []),
    portsLine("Port", ports ?? [], ({ containerPort }) => containerPort),
    portsLine("Host Port", ports ?? [], ({ hostPort }) => hostPort ?? 0),
    ...(seccomp ? [field("SeccompProfile", seccomp.type, 2)] : []),
    ...(seccomp?.type === "Localhost"
      ? [field("LocalhostProfile", seccomp.localhostProfile ?? "", 3)]
      : []),
    ...wordLines("Command", command),
    ...wordLines("Args", args),
    ...(status ? statusLines(status) : []),
    ...resourceLines(resources, 2),
    ...probeLines(container),
    ...environmentLines(container, pod),
    ...mountLines(container),
  ];
}

function portsLine(
  title: string,
  ports: readonly ContainerPort[],
  numberOf: (port: ContainerPort) => number,
): string {
  const texts = ports.map((port) => {
    const text = `${numberOf(port)}/${port.protocol ?? ""}`;
    return port.name ? `${text} (${port.name})` : text;
  });
  return field(texts.length > 1 ? `${title}s` : title, texts.join(", ") || "<none>", 2);
}

function wordLines(title: string, words: readonly string[] | undefined): Lines {
  if (!words || words.length === 0) return [];
  const lines = words.flatMap((word) => word.split("\n")).map((line) => `${indent(3)}${line}`);
  return [`${indent(2)}${title}:`, ...lines];
}

function statusLines({ state, lastState, ready, restartCount }: ContainerStatus): Lines {
  return [
    ...stateLines("State", state),
    ...(lastState.terminated ? stateLines("Last State", lastState) : []),
    field("Ready", yesNo(ready), 2),
    field("Restart Count", restartCount, 2),
  ];
}

function stateLines(title: string, { running, waiting, terminated }: ContainerState): Lines {
  if (running) {
    return [field(title, "Running", 2), field("Started", localTime(running.startedAt), 3)];
  }
  if (!terminated) {
    const reason = waiting?.reason;
    return [field(title, "Waiting", 2), ...(reason ? [field("Reason", reason, 3)] : [])];
  }
  const { reason, message, exitCode, signal = 0, startedAt, finishedAt } = terminated;
  return [
    field(title, "Terminated", 2),
    ...(reason ? [field("Reason", reason, 3)] : []),
    ...(message ? field("Message", message, 3).split("\n") : []),
    field("Exit Code", exitCode, 3),
    ...(signal > 0 ? [field("Signal", signal, 3)] : []),
    field("Started", localTime(startedAt), 3),
    field("Finished", localTime(finishedAt), 3),
  ];
}

export function resourceLines(resources: ResourceRequirements | undefined, level: number): Lines {
  return [
    ...amountLines("Limits", resources?.limits, level),
    ...amountLines("Requests", resources?.requests, level),
  ];
}

function amountLines(title: string, amounts: ResourceRequirements["limits"], level: number): Lines {
  const entries = sortedEntries(amounts);
  if (entries.length === 0) return [];
  const lines = entries.map(([name, amount]) => field(name, amount, level + 1));
  return [`${indent(level)}${title}:`, ...lines];
}

function probeLines({ livenessProbe, readinessProbe, startupProbe }: Container): Lines {
  return [
    ...(livenessProbe ? [field("Liveness", probeText(livenessProbe), 2)] : []),
    ...(readinessProbe ? [field("Readiness", probeText(readinessProbe), 2)] : []),
    ...(startupProbe ? [field("Startup", probeText(startupProbe), 2)] : []),
  ];
}

function mountLines({ volumeMounts = [], volumeDevices = [] }: Container): Lines {
  const none = volumeMounts.length === 0 ? "\t<none>" : "";
  const mounts = [...volumeMounts].sort((a, b) => (a.mountPath < b.mountPath ? -1 : 1));
  const devices = [...volumeDevices].sort((a, b) => (a.devicePath < b.devicePath ? -1 : 1));
  return [
    `    Mounts:${none}`,
    ...mounts.map(({ mountPath, name, readOnly, subPath }) => {
      const flags = [readOnly ? "ro" : "rw", ...(subPath ? [`path=${quote(subPath)}`] : [])];
      return `${indent(3)}${mountPath} from ${name} (${flags.join(",")})`;
    }),
    ...(devices.length === 0 ? [] : [`    Devices:${none}`]),
    ...devices.map(({ devicePath, name }) => `${indent(3)}${devicePath} from ${name}`),
  ];
}
