/** What an agent follows: the pods of its node, and whatever pods are composed of. */
import type { Client } from "../api/client.ts";
import type { Job } from "../api/generated/batch.ts";
import type { ConfigMap, Pod, Secret, Service } from "../api/generated/core.ts";
import {
  configMaps as configMapType,
  jobs as jobType,
  pods as podType,
  secrets as secretType,
  services as serviceType,
} from "../api/resources.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { type Cache, openCache } from "../client/cache.ts";

export interface Caches {
  readonly pods: Cache<Pod>;
  readonly configMaps: Cache<ConfigMap>;
  readonly secrets: Cache<Secret>;
  readonly services: Cache<Service>;
  readonly jobs: Cache<Job>;
}

export async function openCaches(
  shared: { readonly client: Client; readonly clock: Clock; readonly log: Log },
  nodeName: string,
): Promise<Caches> {
  const fieldSelector = `spec.nodeName=${nodeName}`;
  const [pods, configMaps, secrets, services, jobs] = await Promise.all([
    openCache({ ...shared, type: podType, fieldSelector }),
    openCache({ ...shared, type: configMapType }),
    openCache({ ...shared, type: secretType }),
    openCache({ ...shared, type: serviceType }),
    openCache({ ...shared, type: jobType }),
  ]);
  return { pods, configMaps, secrets, services, jobs };
}
