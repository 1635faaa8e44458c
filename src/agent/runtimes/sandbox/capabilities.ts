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

/** In the order of their numbers in Linux. */
const KNOWN = (
  "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE " +
  "NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO " +
  "SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME " +
  "SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG " +
  "WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE"
).split(" ");

/**
 * By which a process leaves its sandbox or takes over the host, which no namespace prevents:
 * BPF and PERFMON read the memory of the kernel, DAC_READ_SEARCH opens any file of the host by its
 * number, MKNOD makes the host's disks in a volume, SYS_ADMIN and SYS_CHROOT lead out of a root
 * shared with the host, SYS_BOOT and SYS_MODULE load code into the kernel, SYS_PTRACE has the
 * root of the shell that started the run, and SYS_RAWIO has the ports of the hardware.
 */
const OPENS_HOST: readonly string[] = [
  "BPF",
  "DAC_READ_SEARCH",
  "MKNOD",
  "PERFMON",
  "SYS_ADMIN",
  "SYS_BOOT",
  "SYS_CHROOT",
  "SYS_MODULE",
  "SYS_PTRACE",
  "SYS_RAWIO",
];
/** "kubectl debug" asks for it, and mostly does without: one's own processes are traced so, too. */
const WITHHELD = "SYS_PTRACE";

/** Undefined: all that there are, which only the privileged have. */
export function capabilitiesOf(context: SecurityContext): readonly string[] | undefined {
  const { privileged, capabilities } = context;
  if (privileged === true) return undefined;
  const add = (capabilities?.add ?? []).map(plainName);
  const drop = (capabilities?.drop ?? []).map(plainName);
  const first = add.includes("ALL") ? KNOWN : DEFAULT;
  const kept = first.filter((name) => !drop.includes("ALL") && !drop.includes(name));
  // What is added and dropped is added, as with the runtimes of images.
  const all = new Set([...kept, ...add.filter((name) => name !== "ALL")]);
  return [...all].filter((name) => !OPENS_HOST.includes(name));
}

/** Those asked for by name that only a privileged container can have: without it they cannot be. */
export function refusedCapabilities({ privileged, capabilities }: SecurityContext): string[] {
  if (privileged === true) return [];
  const add = (capabilities?.add ?? []).map(plainName);
  return add.filter((name) => OPENS_HOST.includes(name) && name !== WITHHELD);
}

/** Those asked for that the container does without. */
export function withheldCapabilities({ privileged, capabilities }: SecurityContext): string[] {
  if (privileged === true) return [];
  const add = (capabilities?.add ?? []).map(plainName);
  const drop = (capabilities?.drop ?? []).map(plainName);
  if (!add.includes("ALL")) return add.includes(WITHHELD) ? [WITHHELD] : [];
  return drop.includes("ALL") ? [] : OPENS_HOST.filter((name) => !drop.includes(name));
}

export function unknownCapabilities({ capabilities }: SecurityContext): readonly string[] {
  const names = [...(capabilities?.add ?? []), ...(capabilities?.drop ?? [])];
  return names.filter((name) => plainName(name) !== "ALL" && !KNOWN.includes(plainName(name)));
}

/** With these a run may change what the next one in the same place would find. */
export function mayChangePlace(capabilities: readonly string[] | undefined): boolean {
  return capabilities === undefined || capabilities.some((name) => /^(NET|SYS)_ADMIN$/.test(name));
}

/** As a hexadecimal mask, the way /proc/PID/status shows them. */
export function capabilityMask(names: readonly string[]): string {
  const bits = names.map((name) => 1n << BigInt(KNOWN.indexOf(name)));
  return bits.reduce((mask, bit) => mask | bit, 0n).toString(16);
}

function plainName(name: string): string {
  return name.toUpperCase().replace(/^CAP_/, "");
}
