/**
 * Pure: security contexts beside what a process of the server has anyway. What asks for the same
 * is honoured: one's own user and group, no capabilities where the server has none to give.
 */
import type {
  Container,
  PodSecurityContext,
  PodSpec,
  SecurityContext,
} from "../../../api/generated/core.ts";
import { containersOf, inContainer } from "./containers.ts";

export interface Identity {
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

export function securityRefusals(spec: PodSpec, identity: Identity): string[] {
  const ofPod = spec.securityContext ?? {};
  const problems = isEmpty(ofPod) ? [] : podRefusals(ofPod, identity).map(inContext);
  for (const container of containersOf(spec)) {
    const own = container.securityContext ?? {};
    if (isEmpty(own) && isEmpty(ofPod)) continue;
    problems.push(...containerRefusals(container, ofPod, identity));
  }
  // What containers have from the pod is said once.
  return [...new Set(problems)];
}

function inContext(problem: string): string {
  return `securityContext.${problem}`;
}

function isEmpty(context: object): boolean {
  for (const _ in context) return false;
  return true;
}

function podRefusals(context: PodSecurityContext, identity: Identity): string[] {
  const { supplementalGroups = [], fsGroup, supplementalGroupsPolicy, sysctls = [] } = context;
  const own = new Set([identity.gid, ...identity.groups]);
  const problems = confinementRefusals(context);
  for (const group of supplementalGroups) {
    if (!own.has(group)) problems.push(`supplementalGroups ${group} (not a group of the server)`);
  }
  if (fsGroup !== undefined && !own.has(fsGroup)) {
    problems.push(`fsGroup ${fsGroup} (not a group of the server)`);
  }
  if (supplementalGroupsPolicy === "Strict") {
    problems.push("supplementalGroupsPolicy Strict (processes have the groups of the server)");
  }
  for (const { name } of sysctls) problems.push(`sysctls ${name} (they would change the host)`);
  return problems;
}

function containerRefusals(
  container: Container,
  ofPod: PodSecurityContext,
  identity: Identity,
): string[] {
  const own = container.securityContext ?? {};
  const ofUser = userRefusals(own, identity);
  const inherited = userRefusals({ ...ofPod, ...own }, identity).filter(
    (problem) => !ofUser.includes(problem),
  );
  const ofContainer = [
    ...ofUser,
    ...privilegeRefusals(own, identity),
    ...confinementRefusals(own),
  ].map(inContext);
  return [
    ...inherited.map(inContext),
    ...ofContainer.map((problem) => inContainer(container, problem)),
  ];
}

type UserContext = Pick<SecurityContext, "runAsUser" | "runAsGroup" | "runAsNonRoot">;

function userRefusals(
  { runAsUser, runAsGroup, runAsNonRoot }: UserContext,
  { uid, gid }: Identity,
): string[] {
  const problems: string[] = [];
  if (runAsUser !== undefined && runAsUser !== uid) {
    problems.push(`runAsUser ${runAsUser} (processes run as user ${uid})`);
  } else if (runAsNonRoot === true && uid === 0) {
    problems.push("runAsNonRoot (processes run as root, as the server does)");
  }
  if (runAsGroup !== undefined && runAsGroup !== gid) {
    problems.push(`runAsGroup ${runAsGroup} (processes run as group ${gid})`);
  }
  return problems;
}

function privilegeRefusals(
  { privileged, capabilities, allowPrivilegeEscalation, readOnlyRootFilesystem }: SecurityContext,
  { uid }: Identity,
): string[] {
  const { add = [], drop = [] } = capabilities ?? {};
  const problems: string[] = [];
  if (privileged === true) problems.push("privileged (processes have the rights of the server)");
  if (add.length > 0) problems.push(`capabilities.add ${add.join(", ")} (none can be given)`);
  if (drop.length > 0 && uid === 0) {
    problems.push(`capabilities.drop ${drop.join(", ")} (processes run as root)`);
  }
  if (allowPrivilegeEscalation === false) {
    problems.push("allowPrivilegeEscalation false (it cannot be prevented)");
  }
  if (readOnlyRootFilesystem === true) {
    problems.push("readOnlyRootFilesystem (the files are the host's)");
  }
  return problems;
}

type Confinement = Pick<SecurityContext, "seLinuxOptions" | "seccompProfile" | "appArmorProfile">;

function confinementRefusals(context: Confinement): string[] {
  const { seLinuxOptions, seccompProfile, appArmorProfile } = context;
  const problems: string[] = [];
  if (seLinuxOptions !== undefined && !isEmpty(seLinuxOptions)) {
    problems.push("seLinuxOptions (processes keep the label of the server)");
  }
  if (seccompProfile !== undefined && seccompProfile.type !== "Unconfined") {
    problems.push(`seccompProfile ${seccompProfile.type} (processes are not confined)`);
  }
  if (appArmorProfile !== undefined && appArmorProfile.type !== "Unconfined") {
    problems.push(`appArmorProfile ${appArmorProfile.type} (processes are not confined)`);
  }
  return problems;
}
