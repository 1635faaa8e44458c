/** The current names of a cluster, from caches of its objects, indexed for lookup. */
import type { Client, Closable } from "../api/client.ts";
import { completionIndexOf } from "../api/completion-index.ts";
import type { Pod, Service } from "../api/generated/core.ts";
import type { Endpoint, EndpointSlice } from "../api/generated/discovery.ts";
import { controllerOf } from "../api/owner-reference.ts";
import {
  pods as podType,
  services as serviceType,
  endpointSlices as sliceType,
} from "../api/resources.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import { type Cache, openCache } from "../client/cache.ts";
import type { NamedService } from "./peers.ts";
import type { ClusterView } from "./zone.ts";

export interface ViewOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Whether an address is in the range of this cluster's pods or Services, in use or not. */
  readonly isOurs: (address: string) => boolean;
}

export interface OpenView extends ClusterView {
  /** The Services that a namespace can refer to by name: its own, and the API server's. */
  servicesFor(namespace: string): readonly NamedService[];
  /** Called when something changed that a name may depend on. */
  onChange(listener: () => void): Closable;
  close(): void;
}

export async function openClusterView(options: ViewOptions): Promise<OpenView> {
  const { isOurs, ...following } = options;
  const [services, slices, pods] = await Promise.all([
    openCache({ ...following, type: serviceType, indexes: { address: serviceAddresses } }),
    openCache({
      ...following,
      type: sliceType,
      indexes: { service: serviceOfSlice, address: sliceAddresses },
    }),
    openCache({
      ...following,
      type: podType,
      indexes: { domain: domains, host: hosts, address: peerAddresses },
    }),
  ]);
  return {
    findService: (namespace, name) => services.get(namespace, name),
    hasServices: (namespace) => services.list(namespace).length > 0,
    slicesOf: (namespace, name) => slices.find("service", `${namespace}/${name}`),
    peersOf: (namespace, service, hostname) =>
      hostname === undefined
        ? pods.find("domain", `${namespace}/${service}`)
        : pods.find("host", `${namespace}/${service}/${hostname}`),
    servicesAt: (address) => services.find("address", address),
    slicesAt: (address) => slices.find("address", address),
    peersAt: (address) => pods.find("address", address),
    isOurs,
    servicesFor: (namespace) => {
      const own = services.list(namespace);
      const server = namespace === "default" ? [] : [services.get("default", "kubernetes")];
      return [...own, ...server].flatMap((service) =>
        service ? [namedService(service, slices, pods)] : [],
      );
    },
    onChange: (listener) => {
      const listening = [
        services.onChange(listener),
        slices.onChange(listener),
        pods.onChange(({ object, previous }) => {
          if (changesPeers(object, previous)) listener();
        }),
      ];
      return {
        close: () => {
          for (const each of listening) each.close();
        },
      };
    },
    close: () => {
      for (const cache of [services, slices, pods]) cache.close();
    },
  };
}

function namedService(
  { metadata }: Service,
  slices: Cache<EndpointSlice>,
  pods: Cache<Pod>,
): NamedService {
  const { namespace = "", name = "" } = metadata;
  const key = `${namespace}/${name}`;
  const known = [
    ...pods.find("domain", key).map(({ spec }) => spec.hostname),
    ...slices.find("service", key).flatMap(({ endpoints }) => endpoints?.map(hostnameOf)),
  ];
  const hosts = [...new Set(known)].filter((host) => host !== undefined && host !== "");
  return { namespace, name, hosts: hosts as readonly string[] };
}

function hostnameOf({ hostname }: Endpoint): string | undefined {
  return hostname;
}

function changesPeers(pod: Pod, previous: Pod | undefined): boolean {
  const now = hosts(pod);
  const before = previous ? hosts(previous) : NONE;
  return now[0] !== before[0] || (now.length > 0 && previous?.status.podIP !== pod.status.podIP);
}

function serviceAddresses({ spec }: Service): readonly string[] {
  return (spec.clusterIPs ?? []).filter((address) => address !== "None");
}

function serviceOfSlice({ metadata }: EndpointSlice): readonly string[] {
  const name = metadata.labels?.["kubernetes.io/service-name"];
  return name === undefined ? [] : [`${metadata.namespace ?? ""}/${name}`];
}

function sliceAddresses({ endpoints, addressType }: EndpointSlice): readonly string[] {
  if (addressType === "FQDN") return [];
  return (endpoints ?? []).flatMap(({ addresses }) => addresses ?? []);
}

function domains(pod: Pod): readonly string[] {
  return isActivePeer(pod) ? [`${pod.metadata.namespace}/${pod.spec.subdomain}`] : NONE;
}

function hosts(pod: Pod): readonly string[] {
  if (!isActivePeer(pod)) return NONE;
  return [`${pod.metadata.namespace}/${pod.spec.subdomain}/${pod.spec.hostname}`];
}

function peerAddresses(pod: Pod): readonly string[] {
  return isActivePeer(pod) ? [pod.status.podIP ?? ""] : NONE;
}

const NONE: readonly string[] = [];

/** An active pod of an Indexed Job that has a hostname, a subdomain and an address. */
function isActivePeer(pod: Pod): boolean {
  const { metadata, spec, status } = pod;
  if (!spec.subdomain || !spec.hostname || !status.podIP) return false;
  if (status.phase === "Succeeded" || status.phase === "Failed") return false;
  if (metadata.deletionTimestamp !== undefined) return false;
  return completionIndexOf(pod) !== undefined && controllerOf(pod)?.kind === "Job";
}
