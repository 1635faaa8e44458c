/** Makes ready what one run finds in its seat: names, an address, mounts, a file for last words. */
import { existsSync, linkSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mount } from "../../runtimes/runtime.ts";
import type { SandboxOrder, StartOrder } from "../protocol.ts";
import { isWithin } from "./host-mounts.ts";
import type { Root } from "./root.ts";
import { formatRootMounts, type RootMount } from "./root-mounts.ts";
import type { SandboxFacts } from "./sandbox-script.ts";
import type { Seat } from "./seat.ts";
import { DEFAULT_MESSAGE_PATH } from "./staging.ts";

export type Furnished = Pick<
  SandboxFacts,
  "root" | "hiddenFile" | "addressFile" | "mountFile" | "tools"
>;

/** Throws what is in the way. */
export function furnish(seat: Seat, order: StartOrder, sandbox: SandboxOrder): Furnished {
  const root = seat.takeRoot();
  nameFiles(root, sandbox);
  if (sandbox.hosts !== undefined) seat.follow(sandbox.hosts, root);
  const mounts = placeAll(seat, root, order, sandbox);
  const addressFile = changeAddress(seat, sandbox);
  const mountFile = join(root.folder, "mounts");
  if (mounts.length > 0) {
    root.isSpoilt = true;
    writeFileSync(mountFile, formatRootMounts(mounts), { mode: 0o600 });
  }
  return {
    root: root.path,
    hiddenFile: root.hiddenFile,
    tools: { ...seat.options.tools, confine: seat.confine },
    ...(addressFile === undefined ? {} : { addressFile }),
    ...(mounts.length === 0 ? {} : { mountFile }),
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

function placeAll(
  seat: Seat,
  root: Root,
  { directory }: StartOrder,
  sandbox: SandboxOrder,
): readonly RootMount[] {
  const mounts = [...sandbox.mounts, ...ownMounts(root, sandbox)].flatMap((mount) => [
    toRootMount(mount),
    ...(sandbox.sharedPaths?.includes(mount.source) ? hiddenIn(mount.source, seat) : []),
  ]);
  // If it cannot be made, the container reports that it cannot enter it.
  const isMade = mounts.length > 0 || !isInRoot(directory, seat);
  const made: RootMount = { flags: "do", target: directory };
  const readOnly = root.mounted.map((target): RootMount => ({ flags: "dr", target }));
  return [...mounts, ...(isMade ? [made] : []), ...(sandbox.hasReadOnlyRoot ? readOnly : [])];
}

function isInRoot(directory: string, { options }: Seat): boolean {
  return !options.missing.some((each) => isWithin(directory, each)) && existsSync(directory);
}

/** Sharing a folder with all pods does not share what the server keeps in it. */
function hiddenIn(folder: string, { options }: Seat): readonly RootMount[] {
  const places = options.hidden.filter(({ path }) => path !== folder && isWithin(path, folder));
  return places.map(({ path, isFolder }) => ({
    flags: isFolder ? "dpr" : "pr",
    source: join(options.shared, isFolder ? "hidden" : "hidden-file"),
    target: path,
  }));
}

function toRootMount({ source, mountPath, isReadOnly, propagation, identity }: Mount): RootMount {
  const folder = statSync(source).isDirectory() ? "d" : "";
  const flags = `${folder}${isReadOnly ? "r" : ""}${propagation === undefined ? "" : "s"}`;
  return { flags, source, target: mountPath, ...(identity && { identity }) };
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
