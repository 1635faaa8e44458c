/**
 * Pure: values as Kubernetes prints whole objects in a message: with the names of its internal Go
 * fields, in their order, and null for fields that are not set.
 */
import type {
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodResourceClaim,
  SeccompProfile,
  SecurityContext,
} from "../../api/generated/core.ts";

export function securityContextDump(context: SecurityContext): object {
  const { capabilities, seLinuxOptions, windowsOptions } = context;
  const { seccompProfile, appArmorProfile } = context;
  return {
    Capabilities: capabilities
      ? { Add: capabilities.add ?? null, Drop: capabilities.drop ?? null }
      : null,
    Privileged: context.privileged ?? null,
    SELinuxOptions: seLinuxOptions
      ? {
          User: seLinuxOptions.user ?? "",
          Role: seLinuxOptions.role ?? "",
          Type: seLinuxOptions.type ?? "",
          Level: seLinuxOptions.level ?? "",
        }
      : null,
    WindowsOptions: windowsOptions
      ? {
          GMSACredentialSpecName: windowsOptions.gmsaCredentialSpecName ?? null,
          GMSACredentialSpec: windowsOptions.gmsaCredentialSpec ?? null,
          RunAsUserName: windowsOptions.runAsUserName ?? null,
          HostProcess: windowsOptions.hostProcess ?? null,
        }
      : null,
    RunAsUser: context.runAsUser ?? null,
    RunAsGroup: context.runAsGroup ?? null,
    RunAsNonRoot: context.runAsNonRoot ?? null,
    ReadOnlyRootFilesystem: context.readOnlyRootFilesystem ?? null,
    AllowPrivilegeEscalation: context.allowPrivilegeEscalation ?? null,
    ProcMount: context.procMount ?? null,
    SeccompProfile: seccompProfile ? seccompProfileDump(seccompProfile) : null,
    AppArmorProfile: appArmorProfile ? seccompProfileDump(appArmorProfile) : null,
  };
}

export function seccompProfileDump({ type, localhostProfile }: SeccompProfile): object {
  return { Type: type, LocalhostProfile: localhostProfile ?? null };
}

export function resourceClaimDump(claim: PodResourceClaim): object {
  return {
    Name: claim.name,
    ResourceClaimName: claim.resourceClaimName ?? null,
    ResourceClaimTemplateName: claim.resourceClaimTemplateName ?? null,
  };
}

export function nodeSelectorTermDump(term: NodeSelectorTerm): object {
  const requirements = (list: readonly NodeSelectorRequirement[] | undefined) =>
    list?.map(({ key, operator, values }) => ({
      Key: key,
      Operator: operator,
      Values: values ?? null,
    })) ?? null;
  return {
    MatchExpressions: requirements(term.matchExpressions),
    MatchFields: requirements(term.matchFields),
  };
}

export function addressDump({ ip }: { readonly ip: string }): object {
  return { IP: ip };
}
