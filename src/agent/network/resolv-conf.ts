/** Pure: the /etc/resolv.conf of a pod, by its dnsPolicy and dnsConfig as kubelet has it. */
import type { Pod, PodDNSConfig, PodDNSConfigOption } from "../../api/generated/core.ts";
import { isLoopback, parseAddress } from "../../base/address.ts";
import { CLUSTER_DOMAIN } from "./domain.ts";

/** What a resolver is told. */
export interface ResolverConfig {
  readonly nameservers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

export interface ResolverSurroundings {
  /** The name server of the cluster; absent where none could be opened. */
  readonly clusterDns?: string;
  /** Of the node. */
  readonly host: ResolverConfig;
  /** The pod has a loopback device of its own, on which no name server listens. */
  readonly hasOwnNetwork: boolean;
}

/** More are cut off, as kubelet does: resolvers ignore them, or fail. */
const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;

export function composeResolvConf(pod: Pod, around: ResolverSurroundings): string {
  const config = withinLimits(withPodConfig(byPolicy(pod, around), pod.spec.dnsConfig));
  const lines = [
    ...(config.searches.length > 0 ? [`search ${config.searches.join(" ")}`] : []),
    ...config.nameservers.map((address) => `nameserver ${address}`),
    ...(config.options.length > 0 ? [`options ${config.options.join(" ")}`] : []),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

const NOTHING: ResolverConfig = { nameservers: [], searches: [], options: [] };

function byPolicy(pod: Pod, around: ResolverSurroundings): ResolverConfig {
  const { dnsPolicy = "ClusterFirst", hostNetwork } = pod.spec;
  if (dnsPolicy === "None") return NOTHING;
  const isOfCluster =
    dnsPolicy === "ClusterFirstWithHostNet" || (dnsPolicy === "ClusterFirst" && !hostNetwork);
  const { clusterDns } = around;
  if (!isOfCluster || clusterDns === undefined) return ofHost(around);
  const zones = [`${pod.metadata.namespace ?? ""}.svc.${CLUSTER_DOMAIN}`, `svc.${CLUSTER_DOMAIN}`];
  return {
    nameservers: [clusterDns],
    searches: distinct([...zones, CLUSTER_DOMAIN, ...around.host.searches]),
    options: ["ndots:5"],
  };
}

/** A name server on the node's own loopback is out of reach; that of the cluster asks it. */
function ofHost({ host, clusterDns, hasOwnNetwork }: ResolverSurroundings): ResolverConfig {
  if (!hasOwnNetwork || clusterDns === undefined) return host;
  const reachable = host.nameservers.map((address) => (isLocal(address) ? clusterDns : address));
  return { ...host, nameservers: distinct(reachable) };
}

function isLocal(address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== undefined && isLoopback(parsed);
}

function withPodConfig(config: ResolverConfig, asked: PodDNSConfig | undefined): ResolverConfig {
  if (asked === undefined) return config;
  return {
    nameservers: distinct([...config.nameservers, ...(asked.nameservers ?? [])]),
    searches: distinct([...config.searches, ...(asked.searches ?? [])]),
    options: mergeOptions(config.options, asked.options ?? []),
  };
}

/** One that the pod names replaces that of the same name. */
function mergeOptions(
  known: readonly string[],
  asked: readonly PodDNSConfigOption[],
): readonly string[] {
  const byName = new Map(known.map((option) => [option.split(":")[0] ?? "", option]));
  for (const { name = "", value } of asked) {
    byName.set(name, value === undefined || value === "" ? name : `${name}:${value}`);
  }
  return [...byName.values()];
}

function withinLimits({ nameservers, searches, options }: ResolverConfig): ResolverConfig {
  const kept = searches.slice(0, MAX_SEARCHES);
  while (kept.join(" ").length > MAX_SEARCH_CHARACTERS) kept.pop();
  return { nameservers: nameservers.slice(0, MAX_NAMESERVERS), searches: kept, options };
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

/** What a text of this form says; the last of several search lines counts. */
export function parseResolvConf(text: string): ResolverConfig {
  const nameservers: string[] = [];
  let searches: readonly string[] = [];
  let options: readonly string[] = [];
  for (const line of text.split("\n")) {
    const [keyword, ...words] = (line.split(/[#;]/)[0] ?? "").trim().split(/\s+/);
    if (keyword === "nameserver" && words[0] !== undefined) nameservers.push(words[0]);
    if (keyword === "search") searches = words.map((each) => each.replace(/(.)\.$/, "$1"));
    if (keyword === "options") options = words;
  }
  return { nameservers, searches, options };
}
