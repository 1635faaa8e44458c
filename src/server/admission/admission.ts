/**
 * What stands between a request and the rules of its kind: the plugins that kube-apiserver has on
 * by default, in its order, and the addresses of Services.
 *
 * Reading order: plugin, then one file per plugin, then service-addresses. A plugin reads the store
 * and changes the object of the request; it never writes. Authentication, authorization and quota
 * controllers are elsewhere.
 */
import { RBAC_GROUP } from "../../kinds/rbac/validate.ts";
import type { Store } from "../../store/types.ts";
import type { Authorizer } from "../authorization/authorizer.ts";
import { refuseEscalation } from "../authorization/escalation.ts";
import type { Quotas } from "../quota/quotas.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { defaultTolerations } from "./default-tolerations.ts";
import { limitRanger } from "./limit-ranger.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { type AdmissionRequest, isAbout, type Plugin } from "./plugin.ts";
import { openPodSecurity, type PodSecurityOptions } from "./pod-security.ts";
import { ALONE } from "./pod-security-options.ts";
import { onlyDefaultPriorityClass, podPriority } from "./priority.ts";
import { pullSecrets } from "./pull-secrets.ts";
import { refuseOverhead, runtimeClass } from "./runtime-class.ts";
import { openServiceAddresses } from "./service-addresses.ts";
import { forgetInternalTraffic, settleService } from "./service-fields.ts";
import { judgeRuntime, type Sharing, stampNode } from "./sharing.ts";
import { storageInUse } from "./storage-in-use.ts";
import { taintNewNodes } from "./taint-new-nodes.ts";
import { refuseUnknownTemplates } from "./workflow-templates.ts";

export interface AdmissionOptions {
  /** "10.96.0.0/16": where the addresses of Services come from. */
  readonly serviceCidr: string;
  /** Absent: whoever is known may grant everything. */
  readonly authorizer?: Authorizer;
  /** Refuses what the quotas of a namespace have no room for; absent: there is always room. */
  readonly charge?: Quotas["charge"];
  /** Absent: every namespace that asks for nothing else is privileged. */
  readonly podSecurity?: PodSecurityOptions;
  /** Absent: the server is not shared. */
  readonly sharing?: Sharing;
}

export interface Admission {
  /** Changes the object as the plugins have it, or throws an ApiError. Answers with warnings. */
  admit(request: AdmissionRequest): string[];
  /**
   * The last word on the valid object of a request: a pod respects the Pod Security level of its
   * namespace, a Service that changed gets the addresses and ports it lacks, a Workflow has its
   * templates. Answers with warnings, or throws an ApiError.
   */
  settle(request: AdmissionRequest): readonly string[];
  /** The address of the Service default/kubernetes. */
  readonly firstServiceAddress: string;
  close(): void;
}

const PLUGINS: readonly Plugin[] = [
  namespaceLifecycle,
  limitRanger,
  pullSecrets,
  taintNewNodes,
  podPriority,
  defaultTolerations,
  defaultStorageClass,
  storageInUse,
  runtimeClass,
  onlyDefaultPriorityClass,
];

export function openAdmission(store: Store, options: AdmissionOptions): Admission {
  const addresses = openServiceAddresses(store, options.serviceCidr);
  const podSecurity = openPodSecurity(store, options.podSecurity ?? ALONE);
  return {
    admit: (request) => {
      for (const plugin of PLUGINS) plugin(request, store);
      stampNode(request, options.sharing);
      if (options.authorizer) refuseGrant(options.authorizer, request);
      if (!isAbout(request, "Service") || request.part !== undefined) return [];
      settleService(request, addresses.family);
      // A new Service hears of an address it cannot have before it hears of its own mistakes.
      if (request.operation !== "create") return [];
      if (request.dryRun) addresses.pretend(request.object);
      else addresses.allocate(request.object);
      return [];
    },
    settle: (request) => {
      const { kind, object, old } = request;
      const warnings = [
        ...podSecurity(request),
        ...(options.sharing ? judgeRuntime(request, options.sharing) : []),
      ];
      if (!old) {
        refuseUnknownTemplates(kind, object, store);
        refuseOverhead(kind, object, store);
      }
      options.charge?.(kind, object, old);
      if (!isAbout(request, "Service")) return warnings;
      forgetInternalTraffic(object);
      if (old) addresses.allocate(object, old);
      return warnings;
    },
    firstServiceAddress: addresses.first,
    close: () => addresses.close(),
  };
}

/** What comes from inside the process names no user, and is trusted. */
function refuseGrant(authorizer: Authorizer, request: AdmissionRequest): void {
  const { user, kind, namespace, object, old, operation } = request;
  if (!user || kind.group !== RBAC_GROUP || operation === "delete") return;
  const write = { user, resource: kind.resource, namespace, object };
  refuseEscalation(authorizer, old ? { ...write, old } : write);
}
