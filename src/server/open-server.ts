/** Assembles a server around its store: the context of the verbs, and everything to close later. */
import type { FeatureGates } from "../api/feature-gates.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import type { Registry } from "../kinds/registry.ts";
import type { Store } from "../store/types.ts";
import { openAdmission } from "./admission/admission.ts";
import type { PodSecurityOptions } from "./admission/pod-security.ts";
import type { Sharing } from "./admission/sharing.ts";
import { type Authorizer, openAuthorizer } from "./authorization/authorizer.ts";
import { openDefaultRoles } from "./authorization/ensure-default-roles.ts";
import type { ServerContext } from "./context.ts";
import { openCustomRegistry } from "./customresources/custom-registry.ts";
import { openDefinitionKeeper } from "./customresources/definition-keeper.ts";
import { enforceQuotas } from "./quota/enforce.ts";
import type { Quotas } from "./quota/quotas.ts";
import type { TokenSigner } from "./tokens/web-token.ts";

export interface ServerParts {
  readonly store: Store;
  /** The built-in kinds; custom kinds are added to them. */
  readonly registry: Registry;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly gates: FeatureGates;
  readonly signer: TokenSigner;
}

export interface ServerMeasures {
  readonly serviceCidr: string;
  /** Whether RBAC is enforced. */
  readonly isGuarded: boolean;
  /** Absent: namespaces without Pod Security labels are privileged. */
  readonly podSecurity?: PodSecurityOptions;
  /** Absent: the server is not shared. */
  readonly sharing?: Sharing;
}

export interface OpenServer {
  readonly context: ServerContext & ServerParts;
  /** Absent: every authenticated user may do everything. */
  readonly authorizer?: Authorizer;
  /** Starts to create the default roles in the background; they are created at once when needed. */
  beginRoles(): void;
  enforceQuotas(): void;
  close(): void;
}

export function openServer(parts: ServerParts, measures: ServerMeasures): OpenServer {
  const { isGuarded, ...admissionMeasures } = measures;
  let quotas: Quotas | undefined;
  const authorizer = isGuarded ? openAuthorizer(parts.store, () => roles.ensure()) : undefined;
  const admission = openAdmission(parts.store, {
    ...admissionMeasures,
    ...(authorizer ? { authorizer } : {}),
    charge: (kind, object, old) => quotas?.charge(kind, object, old),
  });
  const registry = openCustomRegistry(parts.store, parts.registry);
  const context = { ...parts, registry, admission };
  const roles = openDefaultRoles(context);
  const definitions = openDefinitionKeeper(context);
  return {
    context,
    ...(authorizer ? { authorizer } : {}),
    beginRoles: () => {
      if (authorizer) roles.begin();
    },
    enforceQuotas: () => {
      quotas ??= enforceQuotas(context);
    },
    close: () => {
      roles.close();
      quotas?.close();
      definitions.close();
      registry.close();
      admission.close();
      authorizer?.close();
    },
  };
}
