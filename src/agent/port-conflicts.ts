/** Pure: ports of the host that a pod wants and another has, in kubelet's words. */
import type { Container, Pod } from "../api/generated/core.ts";
import type { Notice } from "./notice.ts";

/** The scheduler keeps such pods apart; one that names its node itself comes past it. */
export function findPortConflict(pod: Pod, others: () => Iterable<Pod>): Notice | undefined {
  const wanted = hostPortsOf(pod);
  if (wanted.length === 0) return undefined;
  for (const other of others()) {
    const taken = hostPortsOf(other);
    if (wanted.some((port) => taken.some((each) => isSame(port, each)))) return CONFLICT;
  }
  return undefined;
}

const CONFLICT: Notice = {
  reason: "NodePorts",
  message: "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
};

interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const ANY = "0.0.0.0";

/** Those of containers that run for as long as the pod does. */
function hostPortsOf({ spec }: Pod): readonly HostPort[] {
  const found: HostPort[] = [];
  for (const container of spec.containers ?? []) addPorts(container, found);
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === "Always") addPorts(container, found);
  }
  return found;
}

function addPorts({ ports = [] }: Container, found: HostPort[]): void {
  for (const { hostPort = 0, hostIP = "", protocol = "TCP" } of ports) {
    if (hostPort > 0) found.push({ ip: hostIP === "" ? ANY : hostIP, protocol, port: hostPort });
  }
}

function isSame(one: HostPort, other: HostPort): boolean {
  const meet = one.ip === other.ip || one.ip === ANY || other.ip === ANY;
  return meet && one.port === other.port && one.protocol === other.protocol;
}
