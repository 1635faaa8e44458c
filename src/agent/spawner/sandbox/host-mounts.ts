/** Pure: what /proc/self/mountinfo says of the host's file systems. */

export interface HostMount {
  readonly id: string;
  readonly path: string;
  readonly type: string;
}

export function parseMounts(mountinfo: string): readonly HostMount[] {
  return mountinfo.split("\n").flatMap((line) => {
    const [fields = "", rest = ""] = line.split(" - ");
    const [id, , , , path] = fields.split(" ");
    const [type = ""] = rest.split(" ");
    return id === undefined || path === undefined ? [] : [{ id, path: decodeOctal(path), type }];
  });
}

/** The one that a path is on. A later mount at the same place hides the earlier one. */
export function mountOf(mounts: readonly HostMount[], path: string): HostMount | undefined {
  let found: HostMount | undefined;
  for (const mount of mounts) {
    const isAround = isWithin(path, mount.path);
    if (isAround && mount.path.length >= (found?.path.length ?? 0)) found = mount;
  }
  return found;
}

export function isWithin(path: string, folder: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

/** File systems besides that of the root that a root made of it has, too. */
export function filesOf(mounts: readonly HostMount[]): readonly string[] {
  const paths = mounts
    .filter(({ path, type }) => path !== "/" && !isApart(path) && isFiles(path, type))
    .map(({ path }) => path);
  return [...new Set(paths)].sort((one, other) => one.length - other.length).slice(0, MOST);
}

/** What sandboxes have of their own, what belongs to the running host, and other containers'. */
const APART = ["/proc", "/sys", "/dev", "/run", "/boot", "/snap", "/var/lib/docker"];
const MORE_APART = ["/var/lib/containers", "/var/lib/containerd", "/var/lib/kubelet", "/var/run"];

export function isApart(path: string): boolean {
  return [...APART, ...MORE_APART].some((folder) => isWithin(path, folder));
}

/** What is in memory is somebody's own, unless it is where everybody puts files. */
function isFiles(path: string, type: string): boolean {
  return type === "tmpfs" ? path === "/tmp" || path === "/var/tmp" : !PSEUDO.has(type);
}

const PSEUDO: ReadonlySet<string> = new Set(
  (
    "autofs binfmt_misc bpf cgroup cgroup2 configfs debugfs devpts devtmpfs efivarfs fusectl " +
    "hugetlbfs mqueue nsfs overlay proc pstore ramfs rpc_pipefs securityfs squashfs sysfs tracefs"
  ).split(" "),
);

/** A host with more of them is not made for this; each costs every run. */
const MOST = 8;

function decodeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
