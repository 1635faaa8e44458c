/** Pure: the capabilities of a container, as "NET_RAW". */
import type { SecurityContext } from "../../../api/generated/core.ts";

/**
 * What a container has that asks for nothing. Runtimes of images give two more: SYS_CHROOT, by
 * which a process could leave a root that is shared with the host, and MKNOD.
 */
const DEFAULT = [
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "NET_BIND_SERVICE",
  "NET_RAW",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
];

const KNOWN = (
  "AUDIT_CONTROL AUDIT_READ AUDIT_WRITE BLOCK_SUSPEND BPF CHECKPOINT_RESTORE CHOWN DAC_OVERRIDE " +
  "DAC_READ_SEARCH FOWNER FSETID IPC_LOCK IPC_OWNER KILL LEASE LINUX_IMMUTABLE MAC_ADMIN " +
  "MAC_OVERRIDE MKNOD NET_ADMIN NET_BIND_SERVICE NET_BROADCAST NET_RAW PERFMON SETFCAP SETGID " +
  "SETPCAP SETUID SYS_ADMIN SYS_BOOT SYS_CHROOT SYS_MODULE SYS_NICE SYS_PACCT SYS_PTRACE " +
  "SYS_RAWIO SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG SYSLOG WAKE_ALARM"
).split(" ");

/** Undefined: all that there are. */
export function capabilitiesOf(context: SecurityContext): readonly string[] | undefined {
  const { privileged, capabilities } = context;
  if (privileged === true) return undefined;
  const add = (capabilities?.add ?? []).map(plainName);
  const drop = (capabilities?.drop ?? []).map(plainName);
  if (add.includes("ALL") && drop.length === 0) return undefined;
  const first = add.includes("ALL") ? KNOWN : DEFAULT;
  const kept = first.filter((name) => !drop.includes("ALL") && !drop.includes(name));
  // What is added and dropped is added, as with the runtimes of images.
  return [...new Set([...kept, ...add.filter((name) => name !== "ALL")])];
}

export function unknownCapabilities({ capabilities }: SecurityContext): readonly string[] {
  const names = [...(capabilities?.add ?? []), ...(capabilities?.drop ?? [])];
  return names.filter((name) => plainName(name) !== "ALL" && !KNOWN.includes(plainName(name)));
}

/** With these a run may change what the next one in the same place would find. */
export function mayChangePlace(capabilities: readonly string[] | undefined): boolean {
  return capabilities === undefined || capabilities.some((name) => /^(NET|SYS)_ADMIN$/.test(name));
}

function plainName(name: string): string {
  return name.toUpperCase().replace(/^CAP_/, "");
}
