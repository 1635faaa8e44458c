/** Pure: the subsets of an Endpoints object: addresses with the same ports, ready and not ready. */
import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  Pod,
  Service,
} from "../../api/generated/core.ts";
import { groupBy } from "../../base/group-by.ts";
import {
  addressesOf,
  familiesOf,
  hostnameIn,
  isHeadless,
  isReachable,
  isReady,
  isTerminating,
  publishesUnready,
} from "./members.ts";
import { portOrder } from "./port-order.ts";
import { targetPortsOf } from "./ports.ts";

/**
 * The limit of Kubernetes. Larger objects would be too expensive to send to every node at each
 * change.
 */
export const MAX_ADDRESSES = 1000;

export function subsetsOf(service: Service, pods: readonly Pod[]): EndpointSubset[] {
  const publishes = publishesUnready(service);
  const byPort = new Map<string, PortAddresses>();
  for (const pod of pods) {
    if (!isReachable(pod) || (isTerminating(pod) && !publishes)) continue;
    const address = addressOf(service, pod);
    if (address === undefined) continue;
    const isUp = publishes || isReady(pod);
    for (const port of portsOf(service, pod)) {
      const key = JSON.stringify(port ?? null);
      const entry = byPort.get(key) ?? { port, addresses: new Map() };
      byPort.set(key, entry);
      entry.addresses.set(`${address.ip} ${address.targetRef?.uid}`, { address, isReady: isUp });
    }
  }
  return pack([...byPort.values()]);
}

interface PortAddresses {
  /** Undefined for a headless Service without ports, which has addresses only. */
  readonly port: EndpointPort | undefined;
  readonly addresses: Map<string, Placed>;
}

interface Placed {
  readonly address: EndpointAddress;
  readonly isReady: boolean;
}

function portsOf(service: Service, pod: Pod): readonly (EndpointPort | undefined)[] {
  if (isHeadless(service) && (service.spec.ports ?? []).length === 0) return [undefined];
  return targetPortsOf(service, pod).map(({ name, ...port }) => ({
    ...(name === "" ? {} : { name }),
    ...port,
  }));
}

function addressOf(service: Service, pod: Pod): EndpointAddress | undefined {
  const [ip] = familiesOf(service)
    .slice(0, 1)
    .flatMap((family) => addressesOf(pod, family));
  if (ip === undefined) return undefined;
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  const hostname = hostnameIn(service, pod);
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: { kind: "Pod", namespace, name, uid },
  };
}

/** Ports with the same addresses share a subset. */
function pack(entries: readonly PortAddresses[]): EndpointSubset[] {
  const subsets = groupBy(entries, ({ addresses }) =>
    [...addresses]
      .map(([key, { isReady: isUp }]) => `${key} ${isUp}`)
      .sort()
      .join(),
  );
  return [...subsets.values()].flatMap((sharing) => {
    const [first] = sharing;
    if (!first) return [];
    const placed = [...first.addresses.values()];
    const ready = addressesIn(placed, true);
    const notReady = addressesIn(placed, false);
    const ports = sharing.flatMap(({ port }) => (port ? [port] : [])).sort(portOrder);
    return [
      {
        ...(ready.length > 0 ? { addresses: ready } : {}),
        ...(notReady.length > 0 ? { notReadyAddresses: notReady } : {}),
        ...(ports.length > 0 ? { ports } : {}),
      },
    ];
  });
}

function addressesIn(placed: readonly Placed[], isUp: boolean): EndpointAddress[] {
  const those = placed.filter((each) => each.isReady === isUp).map(({ address }) => address);
  return those.sort((one, other) => {
    const [first, second] = [one, other].map(({ ip, targetRef }) => `${ip} ${targetRef?.uid}`);
    return (first ?? "") < (second ?? "") ? -1 : 1;
  });
}

/** Limits the number of addresses, ready ones first. */
export function truncated(subsets: readonly EndpointSubset[]): {
  readonly subsets: readonly EndpointSubset[];
  readonly isTruncated: boolean;
} {
  const count = (which: "addresses" | "notReadyAddresses") =>
    subsets.reduce((sum, subset) => sum + (subset[which]?.length ?? 0), 0);
  if (count("addresses") + count("notReadyAddresses") <= MAX_ADDRESSES) {
    return { subsets, isTruncated: false };
  }
  let readyRoom = MAX_ADDRESSES;
  let unreadyRoom = Math.max(0, MAX_ADDRESSES - count("addresses"));
  const cut = subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports }) => {
    const ready = addresses.slice(0, readyRoom);
    const notReady = notReadyAddresses.slice(0, unreadyRoom);
    readyRoom -= ready.length;
    unreadyRoom -= notReady.length;
    if (ready.length + notReady.length === 0) return [];
    return [
      {
        ...(ready.length > 0 ? { addresses: ready } : {}),
        ...(notReady.length > 0 ? { notReadyAddresses: notReady } : {}),
        ...(ports ? { ports } : {}),
      },
    ];
  });
  return { subsets: cut, isTruncated: true };
}
