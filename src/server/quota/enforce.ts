/** Enforces the ResourceQuotas of a server, and writes their status with the normal update verb. */
import type { ResourceQuota } from "../../api/generated/core.ts";
import type { Draft, KubeObject } from "../../api/object.ts";
import type { Registry } from "../../kinds/registry.ts";
import type { ServerContext } from "../context.ts";
import { update } from "../verbs/update.ts";
import { openQuotas, type Quotas } from "./quotas.ts";

export function enforceQuotas(server: ServerContext & { readonly registry: Registry }): Quotas {
  const kind = server.registry.getResource("", "v1", "resourcequotas");
  return openQuotas(server.store, {
    later: (callback) => {
      setImmediate(callback);
    },
    writeStatus: (quota: ResourceQuota, status) => {
      const { namespace = "", name = "" } = quota.metadata;
      const next = { ...quota, status } as unknown as Draft<KubeObject>;
      const target = { kind, namespace, name, part: "status" } as const;
      update(server, target, { ...next, metadata: { ...next.metadata } }, COMMITTED);
    },
  });
}

const COMMITTED = { dryRun: false, isQuiet: true };
