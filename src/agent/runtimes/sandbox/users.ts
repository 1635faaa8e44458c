/** Pure: whose process a container is, by its security contexts and the users of the host. */
import type { Container, Pod, PodSecurityContext } from "../../../api/generated/core.ts";
import type { SandboxUser } from "../runtime.ts";

/** The texts of /etc/passwd and /etc/group. */
export interface UserTables {
  readonly passwd: string;
  readonly group: string;
}

export type FoundUser = { readonly user: SandboxUser } | { readonly problem: string };

/** The problem is in kubelet's words. */
export function findUser(
  pod: Pod,
  container: Container,
  own: SandboxUser,
  tables: () => UserTables,
): FoundUser {
  const ofPod = pod.spec.securityContext ?? {};
  const ofContainer = container.securityContext ?? {};
  const { runAsUser, runAsGroup, runAsNonRoot } = { ...ofPod, ...ofContainer };
  const uid = runAsUser ?? own.uid;
  if (runAsNonRoot === true && uid === 0) {
    const where = podName(pod);
    const problem =
      runAsUser === undefined
        ? `container has runAsNonRoot and image will run as root (pod: ${where}`
        : `container's runAsUser breaks non-root policy (pod: ${where}`;
    return { problem: `${problem}, container: ${container.name})` };
  }
  const gid = runAsGroup ?? (runAsUser === undefined ? own.gid : findEntry(tables(), uid).gid);
  return { user: { uid, gid, groups: groupsOf(ofPod, uid, runAsUser === undefined, tables) } };
}

/** As kubelet names it: "name_namespace(uid)", in quotes. */
function podName({ metadata }: Pod): string {
  return JSON.stringify(`${metadata.name}_${metadata.namespace}(${metadata.uid})`);
}

function groupsOf(
  { supplementalGroups = [], fsGroup, supplementalGroupsPolicy }: PodSecurityContext,
  uid: number,
  isUnasked: boolean,
  tables: () => UserTables,
): readonly number[] {
  const isMerged = supplementalGroupsPolicy !== "Strict" && !isUnasked;
  const member = isMerged ? findEntry(tables(), uid).groups : [];
  const own = fsGroup === undefined ? [] : [fsGroup];
  return [...new Set([...member, ...supplementalGroups, ...own])];
}

interface UserEntry {
  readonly gid: number;
  readonly groups: readonly number[];
}

/** A user that the host does not know has group 0, as in a container. */
function findEntry({ passwd, group }: UserTables, uid: number): UserEntry {
  const entry = fieldsOf(passwd).find(([, , id]) => Number(id) === uid);
  if (entry === undefined) return { gid: 0, groups: [] };
  const [name = "", , , gid] = entry;
  const groups = fieldsOf(group)
    .filter(([, , , members = ""]) => members.split(",").includes(name))
    .map(([, , id]) => Number(id));
  return { gid: Number(gid), groups };
}

function fieldsOf(table: string): readonly (readonly string[])[] {
  return table.split("\n").map((line) => line.split(":"));
}
