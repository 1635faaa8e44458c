/** Pure: the /etc/hosts of a pod, line by line as kubelet writes it. */
import type { HostAlias, Pod } from "../../api/generated/core.ts";
import { hostnameOf } from "../environment/hostname.ts";
import { domainOf } from "./domain.ts";

export interface HostsSurroundings {
  readonly podIp: string;
  readonly nodeName: string;
  /** What the node has itself: a pod on its network sees the same. */
  readonly hostsOfNode: string;
  /** Where no name server answers: others that the pod has to know by name. */
  readonly peers?: readonly Peer[];
}

export interface Peer {
  readonly address: string;
  readonly names: readonly string[];
}

export function composeHosts(pod: Pod, around: HostsSurroundings): string {
  const { hostAliases = [], hostNetwork } = pod.spec;
  const own = hostNetwork === true ? hostNetworkHosts(around) : ownHosts(pod, around);
  return `${own}${peerLines(around.peers ?? [])}${aliasLines(hostAliases)}`;
}

function hostNetworkHosts({ hostsOfNode }: HostsSurroundings): string {
  return `# Kubernetes-managed hosts file (host network).\n${hostsOfNode}`;
}

/** The same in every pod. */
const LOCAL = [
  "# Kubernetes-managed hosts file.",
  "127.0.0.1\tlocalhost",
  "::1\tlocalhost ip6-localhost ip6-loopback",
  "fe00::0\tip6-localnet",
  "fe00::0\tip6-mcastprefix",
  "fe00::1\tip6-allnodes",
  "fe00::2\tip6-allrouters",
  "",
].join("\n");

function ownHosts(pod: Pod, { podIp, nodeName }: HostsSurroundings): string {
  const hostname = hostnameOf(pod, nodeName);
  const domain = domainOf(pod);
  const names = domain === "" ? hostname : `${hostname}.${domain}\t${hostname}`;
  return `${LOCAL}${podIp}\t${names}\n`;
}

function peerLines(peers: readonly Peer[]): string {
  if (peers.length === 0) return "";
  const lines = peers.map(({ address, names }) => `${address}\t${names.join("\t")}\n`);
  return `\n# Services and peers.\n${lines.join("")}`;
}

function aliasLines(aliases: readonly HostAlias[]): string {
  if (aliases.length === 0) return "";
  const lines = aliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join("\t")}\n`);
  return `\n# Entries added by HostAliases.\n${lines.join("")}`;
}
