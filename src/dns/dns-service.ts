/** The Service of the name server. The name server listens on its address directly. */
import { Resolver } from "node:dns/promises";
import type { Client } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { Service } from "../api/generated/core.ts";
import { services } from "../api/resources.ts";
import { addressAt, formatAddress, parseCidr } from "../base/address.ts";
import { findObject } from "../client/find.ts";
import { CLUSTER_ID, DNS_SERVICE, ZONE } from "./zone.ts";

/** The tenth address of the range, as is usual in Kubernetes. */
const PLACE = 10;

/**
 * Returns the existing Service or creates it. If the usual address is taken, any other one is used.
 */
export async function ensureDnsService(client: Client, serviceCidr: string): Promise<Service> {
  const known = await findObject(client, services, DNS_SERVICE);
  if (known) return known;
  const range = parseCidr(serviceCidr);
  const usual = range ? formatAddress(addressAt(range, PLACE)) : undefined;
  try {
    return await client.create(services, composeService(usual));
  } catch (error) {
    const reason = error instanceof ApiError ? error.reason : "";
    if (reason === "AlreadyExists") return client.get(services, DNS_SERVICE);
    if (reason === "Invalid" && usual) return client.create(services, composeService());
    throw error;
  }
}

function composeService(clusterIP?: string): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      ...DNS_SERVICE,
      labels: {
        "k8s-app": "kube-dns",
        // The name server listens on the address itself, so the proxy must not forward it.
        "service.kubernetes.io/service-proxy-name": "tally-dns",
      },
    },
    spec: {
      ...(clusterIP === undefined ? {} : { clusterIP }),
      ports: [
        { name: "dns", port: 53, protocol: "UDP" },
        { name: "dns-tcp", port: 53, protocol: "TCP" },
      ],
    },
    status: { loadBalancer: {} },
  };
}

/** Whether another agent of the same cluster already runs the name server on this machine. */
export async function findFellow(address: string, port: number, uid: string): Promise<boolean> {
  const resolver = new Resolver({ timeout: 500, tries: 2 });
  resolver.setServers([`${address}:${port}`]);
  const texts = await resolver.resolveTxt(`${CLUSTER_ID}.${ZONE}`).catch(() => []);
  return texts.some((text) => text.join("") === uid);
}
