/** Pure: resolves a port of a Service to the port of a pod. */
import type { Container, Pod, Service, ServicePort } from "../../api/generated/core.ts";
import { isSidecar } from "../../api/sidecar.ts";

export interface TargetPort {
  readonly name: string;
  readonly port: number;
  readonly protocol: string;
  readonly appProtocol?: string;
}

/** A named port that the pod does not have is omitted; the pod still serves the others. */
export function targetPortsOf({ spec }: Service, pod: Pod): readonly TargetPort[] {
  return (spec.ports ?? []).flatMap((servicePort) => {
    const port = findTarget(servicePort, pod);
    if (port === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = servicePort;
    return [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
}

function findTarget(servicePort: ServicePort, { spec }: Pod): number | undefined {
  const { targetPort = servicePort.port, protocol = "TCP" } = servicePort;
  if (typeof targetPort === "number") return targetPort;
  const serving: readonly Container[] = [
    ...(spec.containers ?? []),
    ...(spec.initContainers ?? []).filter(isSidecar),
  ];
  const ports = serving.flatMap(({ ports: own }) => own ?? []);
  const named = ports.find((each) => each.name === targetPort && each.protocol === protocol);
  return named?.containerPort;
}
