/**
 * The network of a cluster on this machine: its names and the addresses of its Services.
 *
 * A composition root like engine.ts: the one file that knows the name server, the forwarder and
 * what the machine has to be told. networked-agent.ts says when it is opened.
 */
import { readFileSync } from "node:fs";
import type { OpenNames } from "./agent/network/pod-files.ts";
import { parseResolvConf } from "./agent/network/resolv-conf.ts";
import type { Client, Closable } from "./api/client.ts";
import { isEqual } from "./api/equal.ts";
import type { Service } from "./api/generated/core.ts";
import { endpointSlices, services as serviceType } from "./api/resources.ts";
import { cidrContains, isLoopback, parseAddress, parseCidr } from "./base/address.ts";
import type { Clock, Timer } from "./base/clock.ts";
import { describeError } from "./base/describe-error.ts";
import type { Log } from "./base/log.ts";
import type { Random } from "./base/random.ts";
import { type CacheChange, openCache } from "./client/cache.ts";
import { openClusterView } from "./dns/cluster-view.ts";
import { ensureDnsService, findFellow } from "./dns/dns-service.ts";
import { namedAddresses } from "./dns/peers.ts";
import { type DnsServer, openDnsServer } from "./dns/server.ts";
import { openUpstream } from "./dns/upstream.ts";
import type { ClusterView } from "./dns/zone.ts";
import { openLocalRange } from "./proxy/local-range.ts";
import { planFrontends, unservedOf } from "./proxy/plan.ts";
import { type ProxyThread, startProxyThread } from "./proxy/proxy-thread.ts";

export interface ClusterNetworkOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly serviceCidr: string;
  /** Where pods have their addresses. */
  readonly podCidrs: readonly string[];
  readonly nodeName: string;
  /** Where the ports of the node are opened. */
  readonly nodeAddress: string;
}

/** Everything on this machine, whichever of its addresses it comes from. */
const LOOPBACK = "127.0.0.0/8";
const RESOLV_CONF = "/etc/resolv.conf";
const DNS_PORT = 53;
/** Changes of many endpoints make one plan: all plans together take a twentieth of the time. */
const PLAN_AFTER_MS = 10;
const PLAN_SHARE = 20;

export interface ClusterNetwork extends OpenNames {
  close(): Promise<void>;
}

interface Opened {
  close(): Promise<void> | void;
}

/** What cannot be had is told in the log; the rest is there. */
export async function openClusterNetwork(options: ClusterNetworkOptions): Promise<ClusterNetwork> {
  const open: Opened[] = [];
  const close = async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  };
  try {
    return { ...(await openAll(options, open)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openAll(options: ClusterNetworkOptions, open: Opened[]): Promise<OpenNames> {
  const { log, serviceCidr, podCidrs } = options;
  const range = await openLocalRange(serviceCidr).catch((error: unknown) => {
    const problem = describeError(error);
    log.warn("the addresses of Services cannot be made this machine's", { serviceCidr, problem });
    return undefined;
  });
  if (range) open.push(range);
  const allowed = [LOOPBACK, serviceCidr, ...podCidrs];
  const view = await openClusterView({ ...options, isOurs: isIn([serviceCidr, ...podCidrs]) });
  open.push(view);
  const [server] = await Promise.all([
    openNames(options, view, isIn(allowed)),
    openProxy(options, allowed, open),
  ]);
  if (server?.own) open.push(server.own);
  const address = server?.address;
  return {
    dnsFor: ({ hasOwnNetwork }) =>
      address !== undefined && hasOwnNetwork && isLocal(address) ? undefined : address,
    peersFor: (namespace) => namedAddresses(view, view.servicesFor(namespace), namespace),
    onChange: (listener) => view.onChange(listener),
  };
}

function isIn(ranges: readonly string[]): (address: string) => boolean {
  const parsed = ranges.flatMap((range) => parseCidr(range) ?? []);
  return (text) => {
    const address = parseAddress(text.replace(/^::ffff:/, ""));
    return address !== undefined && parsed.some((range) => cidrContains(range, address));
  };
}

function isLocal(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && isLoopback(address);
}

interface NameServer {
  readonly address: string;
  /** Absent: another agent of the cluster has it already. */
  readonly own?: DnsServer;
}

async function openNames(
  options: ClusterNetworkOptions,
  view: ClusterView,
  mayAsk: (address: string) => boolean,
): Promise<NameServer | undefined> {
  const { client, log, serviceCidr } = options;
  try {
    const service = await ensureDnsService(client, serviceCidr);
    const { clusterIP: address = "" } = service.spec;
    const servers = () => upstreamServers(address);
    const serving = { view, upstream: openUpstream({ servers }), log, mayAsk };
    try {
      const own = await openDnsServer({ ...serving, address, port: DNS_PORT });
      return { address, own };
    } catch (error) {
      const isFellow = await findFellow(address, DNS_PORT, service.metadata.uid ?? "");
      if (isFellow) return { address };
      throw error;
    }
  } catch (error) {
    const problem = describeError(error);
    log.warn("there is no name server: pods find each other by their /etc/hosts", { problem });
    return undefined;
  }
}

/** Read anew: a machine that moves to another network asks others. */
function upstreamServers(own: string): readonly string[] {
  try {
    const { nameservers } = parseResolvConf(readFileSync(RESOLV_CONF, "utf8"));
    return nameservers.filter((address) => address !== own);
  } catch {
    return [];
  }
}

/** Settles when every Service there is can be reached. */
async function openProxy(
  options: ClusterNetworkOptions,
  allowed: readonly string[],
  open: Opened[],
): Promise<void> {
  const { client, clock, random, log, nodeAddress, nodeName } = options;
  const following = { client, clock, random, log };
  const indexes = { service: serviceOf };
  const [services, slices] = await Promise.all([
    openCache({ ...following, type: serviceType }),
    openCache({ ...following, type: endpointSlices, indexes }),
  ]);
  const thread: ProxyThread = startProxyThread({ allowed, log });
  const slicesOf = (key: string) => slices.find("service", key);
  let lastedMs = 0;
  const apply = () => {
    const sinceMs = clock.monotonicMs();
    const plan = planFrontends({ services: services.list(), slicesOf, nodeAddress, nodeName });
    const applied = thread.apply(plan);
    lastedMs = clock.monotonicMs() - sinceMs;
    return applied;
  };
  let timer: Timer | undefined;
  const soon = () => {
    timer ??= clock.schedule(Math.max(PLAN_AFTER_MS, lastedMs * PLAN_SHARE), () => {
      timer = undefined;
      void apply();
    });
  };
  const listening: Closable[] = [
    services.onChange(soon),
    services.onChange((change) => warnOfUnserved(change, log), { existing: true }),
    slices.onChange(soon),
  ];
  open.push({
    close: async () => {
      timer?.cancel();
      for (const each of listening) each.close();
      services.close();
      slices.close();
      await thread.close();
    },
  });
  await apply();
}

/** Once, and again when it asks for something else. */
function warnOfUnserved({ type, object, previous }: CacheChange<Service>, log: Log): void {
  const unserved = type === "DELETED" ? [] : unservedOf(object);
  if (unserved.length === 0 || isEqual(unserved, previous ? unservedOf(previous) : [])) return;
  const { namespace, name } = object.metadata;
  const what = unserved.join(", ");
  log.warn("a Service asks for what is not there", { service: `${namespace}/${name}`, what });
}

function serviceOf({ metadata }: { readonly metadata: Service["metadata"] }): readonly string[] {
  const name = metadata.labels?.["kubernetes.io/service-name"];
  return name === undefined ? [] : [`${metadata.namespace ?? ""}/${name}`];
}
