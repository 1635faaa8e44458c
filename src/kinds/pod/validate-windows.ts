/** Pure: validates Windows options of pods, and the fields that an operating system excludes. */
import { type Finding, forbidden, invalid, notSupported, required } from "../../api/finding.ts";
import type { PodSpec, WindowsSecurityContextOptions } from "../../api/generated/core.ts";
import { dns1123Subdomain } from "../../api/names.ts";
import { byteLength } from "../meta/labels.ts";
import { invalidEach } from "./syntax.ts";
import { visitContainers } from "./visit-containers.ts";

const CREDENTIAL_SPEC_MAX_KIB = 64;
const DOMAIN_MAX = 256;
const USER_MAX = 104;

const CONTROL = /\p{Cc}/u;
const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const DNS_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const DNS_NAME = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);
const NOT_IN_USER = /["/\\:;|=,+*?<>@[\]]/;

export function validateWindowsOptions(
  options: WindowsSecurityContextOptions | undefined,
  path: string,
): Finding[] {
  if (options === undefined) return [];
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  return [
    ...(name === undefined
      ? []
      : invalidEach(`${path}.gmsaCredentialSpecName`, name, dns1123Subdomain(name))),
    ...(spec === undefined
      ? []
      : invalidEach(`${path}.gmsaCredentialSpec`, spec, credentialSpecProblems(spec))),
    ...(user === undefined
      ? []
      : invalidEach(`${path}.runAsUserName`, user, userNameProblems(user))),
  ];
}

/** Either all containers of a pod are host processes, or none. */
export function validateHostProcesses(spec: PodSpec, path: string): Finding[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const findings: Finding[] = [];
  const containers = visitContainers(spec, path);
  let hostProcesses = 0;
  for (const { container, path: containerPath } of containers) {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      const field = `${containerPath}.securityContext.windowsOptions.hostProcess`;
      findings.push(invalid(field, own, detail));
    }
    if (own ?? ofPod) hostProcesses++;
  }
  if (hostProcesses === 0) return findings;
  if (hostProcesses !== containers.length) {
    const rule = "If pod contains any hostProcess containers then all containers must be";
    findings.push(invalid(path, "", `${rule} HostProcess containers`));
  }
  if (!spec.hostNetwork) {
    const detail = "hostNetwork must be true if pod contains any hostProcess containers";
    findings.push(invalid(`${path}.hostNetwork`, false, detail));
  }
  const detail = "hostProcess containers are disallowed by cluster policy";
  return [...findings, forbidden(path, detail)];
}

export function validateOs(spec: PodSpec, path: string): Finding[] {
  if (spec.os === undefined) return [];
  const { name } = spec.os;
  if (name === "") return [required(`${path}.os.name`)];
  if (name === "linux") return refuseOnLinux(spec, path);
  if (name === "windows") return refuseOnWindows(spec, path);
  return [notSupported(`${path}.os`, name, ["linux", "windows"])];
}

function credentialSpecProblems(spec: string): string[] {
  if (spec === "") return ["gmsaCredentialSpec cannot be an empty string"];
  if (byteLength(spec) <= CREDENTIAL_SPEC_MAX_KIB * 1024) return [];
  return [`gmsaCredentialSpec size must be under ${CREDENTIAL_SPEC_MAX_KIB} KiB`];
}

/**
 * "DOMAIN\user"; the domain is optional.
 */
function userNameProblems(text: string): string[] {
  if (text === "") return ["runAsUserName cannot be an empty string"];
  if (CONTROL.test(text)) return ["runAsUserName cannot contain control characters"];
  const parts = text.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const user = parts.at(-1) ?? "";
  const domain = parts.length === 2 ? parts[0] : undefined;
  const problems: string[] = [];
  if (domain !== undefined && domain.length >= DOMAIN_MAX) {
    problems.push(`runAsUserName's Domain length must be under ${DOMAIN_MAX} characters`);
  }
  if (domain !== undefined && !NETBIOS.test(domain) && !DNS_NAME.test(domain)) {
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  if (user === "") problems.push("runAsUserName's User cannot be empty");
  else if (user.length > USER_MAX) {
    problems.push(`runAsUserName's User length must not be longer than ${USER_MAX} characters`);
  }
  if (/^[. ]+$/.test(user)) {
    problems.push("runAsUserName's User cannot contain only periods or spaces");
  }
  if (NOT_IN_USER.test(user)) {
    const list = '"/\\:;|=,+*?<>@[]';
    problems.push(`runAsUserName's User cannot contain the following characters: ${list}`);
  }
  return problems;
}

function refuseOnLinux(spec: PodSpec, path: string): Finding[] {
  const contexts = [
    { context: spec.securityContext, field: `${path}.securityContext` },
    ...visitContainers(spec, path).map(({ container, path: containerPath }) => ({
      context: container.securityContext,
      field: `${containerPath}.securityContext`,
    })),
  ];
  return contexts
    .filter(({ context }) => context?.windowsOptions !== undefined)
    .map(({ field }) =>
      forbidden(`${field}.windowsOptions`, "windows options cannot be set for a linux pod"),
    );
}

/** In the order in which they are reported. A leading dot means a field of the security context. */
const LINUX_ONLY_OF_POD = [
  ".appArmorProfile",
  ".seLinuxOptions",
  "hostUsers",
  "hostPID",
  "hostIPC",
  ".seccompProfile",
  ".fsGroup",
  ".fsGroupChangePolicy",
  ".sysctls",
  "shareProcessNamespace",
  ".runAsUser",
  ".runAsGroup",
  ".supplementalGroups",
  ".supplementalGroupsPolicy",
  ".seLinuxChangePolicy",
] as const;

const LINUX_ONLY_OF_CONTAINER = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
  "runAsUser",
  "runAsGroup",
] as const;

function refuseOnWindows(spec: PodSpec, path: string): Finding[] {
  const detail = "cannot be set for a windows pod";
  const context: { readonly [field: string]: unknown } = { ...spec.securityContext };
  const pod: { readonly [field: string]: unknown } = { ...spec };
  const ofPod = LINUX_ONLY_OF_POD.filter((field) =>
    field.startsWith(".") ? context[field.slice(1)] !== undefined : pod[field] !== undefined,
  );
  const ofContainers = visitContainers(spec, path).flatMap(({ container, path: containerPath }) =>
    LINUX_ONLY_OF_CONTAINER.filter((field) => container.securityContext?.[field] !== undefined).map(
      (field) => forbidden(`${containerPath}.securityContext.${field}`, detail),
    ),
  );
  return [
    ...ofPod.map((field) =>
      forbidden(
        field.startsWith(".") ? `${path}.securityContext${field}` : `${path}.${field}`,
        detail,
      ),
    ),
    ...ofContainers,
  ];
}
