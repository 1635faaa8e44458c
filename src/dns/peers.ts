/** Pure: the names of a cluster as /etc/hosts entries, for environments without a name server. */

import { TYPE } from "./wire.ts";
import type { ClusterView } from "./zone.ts";
import { lookUp, ZONE } from "./zone.ts";

export interface NamedAddress {
  readonly address: string;
  readonly names: readonly string[];
}

export interface NamedService {
  readonly namespace: string;
  readonly name: string;
  /** The known host names below the Service. */
  readonly hosts: readonly string[];
}

/** The names as a pod of the namespace uses them. A name may have several addresses. */
export function namedAddresses(
  view: ClusterView,
  services: readonly NamedService[],
  namespace: string,
): readonly NamedAddress[] {
  return services.flatMap((service) =>
    ["", ...service.hosts].flatMap((host) => {
      const short = host === "" ? service.name : `${host}.${service.name}`;
      const full = `${short}.${service.namespace}.svc.${ZONE}`;
      const found = lookUp(view, full, TYPE.A);
      if (found.kind !== "records") return [];
      const qualified = [`${short}.${service.namespace}`, `${short}.${service.namespace}.svc`];
      const own = service.namespace === namespace ? [short] : [];
      return found.records.flatMap((record) =>
        record.type === TYPE.A
          ? [{ address: record.address.join("."), names: [full, ...own, ...qualified] }]
          : [],
      );
    }),
  );
}
