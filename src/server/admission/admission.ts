/**
 * Admission: the plugins that kube-apiserver enables by default, in its order, and the addresses of
 * Services. It runs between the request and the rules of the kind.
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
  /** "10.96.0.0/16": the range of Service addresses. */
  readonly serviceCidr: string;
  /** Absent: every authenticated user may grant everything. */
  readonly authorizer?: Authorizer;
  /** Rejects objects that exceed the quotas of a namespace; absent: there are no quotas. */
  readonly charge?: Quotas["charge"];
  /** Absent: namespaces without Pod Security labels are privileged. */
  readonly podSecurity?: PodSecurityOptions;
  /** Absent: the server is not shared. */
  readonly sharing?: Sharing;
}

export interface Admission {
  /** Applies the plugins to the object, or throws an ApiError. Returns warnings. */
  admit(request: AdmissionRequest): string[];
  /**
   * The last checks of a valid object: the Pod Security level of the namespace, missing addresses
   * and ports of a changed Service, the templates of a Workflow, quotas. Returns warnings, or
   * throws an ApiError.
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
      // For a new Service, an unavailable address is reported before validation errors.
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

/** Requests from inside the process have no user, and are trusted. */
function refuseGrant(authorizer: Authorizer, request: AdmissionRequest): void {
  const { user, kind, namespace, object, old, operation } = request;
  if (!user || kind.group !== RBAC_GROUP || operation === "delete") return;
  const write = { user, resource: kind.resource, namespace, object };
  refuseEscalation(authorizer, old ? { ...write, old } : write);
}
