/** Pure: the domain that a pod's host name is in. */
import type { Pod } from "../../api/generated/core.ts";

/** What all names of a cluster end in. */
export const CLUSTER_DOMAIN = "cluster.local";

/** "my-svc.default.svc.cluster.local", or "" for a pod that is in none. */
export function domainOf({ metadata, spec }: Pod): string {
  // A name of its own choosing is the whole of a pod's name.
  if (!spec.subdomain || spec.hostnameOverride) return "";
  return `${spec.subdomain}.${metadata.namespace ?? ""}.svc.${CLUSTER_DOMAIN}`;
}
