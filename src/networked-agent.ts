/**
 * A node agent and the network of its cluster, which is opened when somebody needs it: at the first
 * Service besides the server's own, or at the first pod with files of its own. Until then it costs
 * nothing, and nothing of it is loaded.
 */
import { hostname } from "node:os";
import type { OpenNames } from "./agent/network/pod-files.ts";
import { nodeNameOf } from "./agent/node/host-facts.ts";
import { type NodeAgent, startNodeAgent } from "./agent/node-agent.ts";
import type { NodeAgentOptions } from "./agent/node-agent-options.ts";
import type { Service } from "./api/generated/core.ts";
import { services as serviceType } from "./api/resources.ts";
import { type Cidr, formatAddress } from "./base/address.ts";
import { openCache } from "./client/cache.ts";
import type { ClusterNetwork } from "./cluster-network.ts";

export interface NetworkedAgentOptions extends Omit<NodeAgentOptions, "names"> {
  /** Absent: Services and names are somebody else's business. */
  readonly serviceCidr?: string;
}

export async function startNetworkedAgent(options: NetworkedAgentOptions): Promise<NodeAgent> {
  const { serviceCidr } = options;
  if (serviceCidr === undefined) return startNodeAgent(options);
  const network = await openNetwork(options, serviceCidr);
  const agent = await startNodeAgent({ ...options, names: network }).catch(async (error) => {
    await network.close();
    throw error;
  });
  return {
    ...agent,
    stop: async (how) => {
      const stopped = await agent.stop(how);
      await network.close();
      return stopped;
    },
  };
}

/** Where pods on the host's own network have their addresses. */
const LOOPBACK_PODS = "127.64.0.0/10";
const NODE_ADDRESS = "127.0.0.1";

async function openNetwork(options: NetworkedAgentOptions, serviceCidr: string) {
  const { client, clock, random, log, address: nodeAddress = NODE_ADDRESS } = options;
  const services = await openCache({ client, clock, random, log, type: serviceType });
  let opening: Promise<ClusterNetwork> | undefined;
  const open = async () => {
    const { openClusterNetwork } = await import("./cluster-network.ts");
    return openClusterNetwork({
      client,
      clock,
      random,
      log: log.child({ part: "network" }),
      serviceCidr,
      podCidrs: [
        LOOPBACK_PODS,
        formatCidr(options.sandbox.podCidr),
        formatCidr(options.sandbox.enginePodCidr),
      ],
      nodeName: nodeNameOf(options.nodeName ?? hostname()),
      nodeAddress,
    });
  };
  const ensure = (): Promise<OpenNames> => {
    opening ??= open().catch((error: unknown) => {
      // Whoever asks next finds it tried again.
      opening = undefined;
      log.error("there is no cluster network", { error });
      throw error;
    });
    return opening;
  };
  services.onChange(
    ({ type, object }) => {
      if (type === "DELETED" || isOwn(object) || opening) return;
      ensure().catch(() => {});
    },
    { existing: true },
  );
  return {
    ensure,
    close: async () => {
      services.close();
      await opening?.then(
        (network) => network.close(),
        () => {},
      );
    },
  };
}

function formatCidr({ network, prefixLength }: Cidr): string {
  return `${formatAddress(network)}/${prefixLength}`;
}

/** Those that are there without anybody's doing. */
function isOwn({ metadata }: Service): boolean {
  const { namespace, name } = metadata;
  return (
    (namespace === "default" && name === "kubernetes") ||
    (namespace === "kube-system" && name === "kube-dns")
  );
}
