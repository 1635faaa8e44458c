/** Makes ready what one run finds in its seat: names, an address, mounts, a file for last words. */
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mount } from "../../runtimes/runtime.ts";
import type { SandboxOrder, StartOrder } from "../protocol.ts";
import { isWithin } from "./host-mounts.ts";
import { bind, type Entry, formatTable } from "./mount-table.ts";
import { findTarget, type Placed, type Target } from "./mount-targets.ts";
import type { Root } from "./root.ts";
import type { SandboxFacts } from "./sandbox-script.ts";
import type { Seat } from "./seat.ts";
import { DEFAULT_MESSAGE_PATH } from "./staging.ts";

export type Furnished = Pick<
  SandboxFacts,
  "root" | "addressFile" | "mountFile" | "folders" | "files" | "identities" | "tools"
>;

/** Throws what is in the way. */
export function furnish(seat: Seat, order: StartOrder, sandbox: SandboxOrder): Furnished {
  const root = seat.takeRoot();
  nameFiles(root, sandbox);
  if (sandbox.hosts !== undefined) seat.follow(sandbox.hosts, root);
  const made = placeAll(seat, root, order, sandbox);
  const addressFile = changeAddress(seat, sandbox);
  const mountFile = join(root.folder, "mounts");
  if (made.entries.length > 0) writeFileSync(mountFile, formatTable(made.entries), { mode: 0o600 });
  if (made.entries.length + made.folders.length + made.files.length > 0) root.isSpoilt = true;
  return {
    root: root.path,
    tools: seat.options.tools,
    folders: made.folders.map((path) => root.path + path),
    files: made.files.map((path) => root.path + path),
    ...(addressFile === undefined ? {} : { addressFile }),
    ...(made.entries.length === 0 ? {} : { mountFile }),
    ...(made.identities.length === 0 ? {} : { identities: made.identities }),
  };
}

function nameFiles(root: Root, sandbox: SandboxOrder): void {
  const { hosts = "/etc/hosts", resolvConf = "/etc/resolv.conf", messageFile } = sandbox;
  root.write("hosts", readFileSync(hosts));
  root.write("resolv.conf", readFileSync(resolvConf));
  if (messageFile === undefined) return;
  // One file under two names: what is written in the sandbox outlives it.
  rmSync(messageFile, { force: true });
  linkSync(root.messageFile, messageFile);
}

interface Places {
  readonly entries: Entry[];
  /** What is to be made in the root first. */
  readonly folders: string[];
  readonly files: string[];
  readonly identities: (readonly [path: string, identity: string])[];
}

function placeAll(
  seat: Seat,
  root: Root,
  { directory }: StartOrder,
  sandbox: SandboxOrder,
): Places {
  const { missing } = seat.options;
  const made: Places = { entries: [], folders: [], files: [], identities: [] };
  const placed: Placed[] = [];
  const note = ({ path, isMissing }: Target, isFolder: boolean) => {
    if (isMissing) (isFolder ? made.folders : made.files).push(path);
    return path;
  };
  for (const mount of [...sandbox.mounts, ...ownMounts(root, sandbox)]) {
    const isFolder = statSync(mount.source).isDirectory();
    const path = note(findTarget({ missing, placed }, mount.mountPath, isFolder), isFolder);
    placed.push({ path, source: mount.source });
    made.entries.push(...entriesOf(mount, root.path + path));
    if (sandbox.sharedPaths?.includes(mount.source)) {
      made.entries.push(...hiddenIn(mount.source, seat, root.path));
    }
    const { identity } = mount;
    if (identity === undefined) continue;
    made.identities.push([root.path + path, `${identity.device}:${identity.inode}`]);
  }
  note(findTarget({ missing, placed }, directory, true), true);
  if (sandbox.hasReadOnlyRoot) {
    // By its own name it would be taken for one that is mounted already, and left as it is.
    const layers = root.mounted.map((path) => bind("none", path, "remount,bind,ro"));
    made.entries.push(...layers);
  }
  return made;
}

/** Whoever shares a folder with all pods does not mean what the server keeps in it. */
function hiddenIn(folder: string, seat: Seat, root: string): readonly Entry[] {
  const { hidden, shared } = seat.options;
  const places = hidden.filter(({ path }) => path !== folder && isWithin(path, folder));
  // Not what the root has there: that would be taken for mounted already.
  return places.map(({ path, isFolder }) =>
    bind(join(shared, isFolder ? "hidden" : "hidden-file"), root + path, "bind,ro"),
  );
}

function entriesOf({ source, isReadOnly, propagation }: Mount, target: string): readonly Entry[] {
  // What is mounted below the source belongs to it.
  const kind = propagation === undefined ? "rbind" : "rbind,rslave";
  return [bind(source, target, isReadOnly ? `${kind},ro` : kind)];
}

/** What is mounted for the sandbox itself: as with volumes, the order is that of the paths. */
function ownMounts(root: Root, sandbox: SandboxOrder): readonly Mount[] {
  const { messagePath, messageFile } = sandbox;
  if (messageFile === undefined || messagePath === DEFAULT_MESSAGE_PATH) return [];
  return [{ source: root.messageFile, mountPath: messagePath, isReadOnly: false }];
}

/** A seat keeps its address until the next run has another. */
function changeAddress(seat: Seat, { network }: SandboxOrder): string | undefined {
  if (network === undefined || seat.address === network.address) return undefined;
  const { address, prefixLength, gateway } = network;
  const orders = [
    ...(seat.address === undefined ? ["link set lo up", "link set eth0 up"] : []),
    ...(seat.address === undefined ? [] : ["addr flush dev eth0"]),
    `addr add ${address}/${prefixLength} dev eth0`,
    `route replace default via ${gateway}`,
  ];
  seat.address = address;
  const file = join(seat.directory, "address");
  writeFileSync(file, orders.map((each) => `${each}\n`).join(""), { mode: 0o600 });
  return file;
}
