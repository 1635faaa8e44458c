/** Makes one volume of one pod on this host, or says what is in the way. */
import { stat } from "node:fs/promises";
import type { IssuedToken, Name, TokenSpec } from "../../api/client.ts";
import { quote } from "../../api/finding.ts";
import type { ConfigMap, Pod, Secret, Volume } from "../../api/generated/core.ts";
import { getQuantity, wholeUnits } from "../../api/quantity.ts";
import type { Clock } from "../../base/clock.ts";
import type { Notice } from "../notice.ts";
import { writeAtomically } from "./atomic-writer.ts";
import { type ClaimLookup, sourceOfClaim } from "./claim-source.ts";
import type { VolumeDirectories } from "./directories.ts";
import type { DownwardSource } from "./downward.ts";
import { findHostPath } from "./host-path.ts";
import { memoryOf } from "./memory-size.ts";
import type { PreparedVolume } from "./mounts.ts";
import { giveTreeToGroup } from "./ownership.ts";
import { composePayload, isComposed, projectedTokens } from "./payload.ts";
import { claimNameOf } from "./references.ts";
import { refreshDelayMs } from "./token-refresh.ts";

/** What volumes are made from. */
export interface VolumeWorld {
  readonly clock: Clock;
  readonly directories: VolumeDirectories;
  readonly allocatable: DownwardSource["allocatable"];
  readonly configMap: (namespace: string, name: string) => ConfigMap | undefined;
  readonly secret: (namespace: string, name: string) => Secret | undefined;
  /** Opened when a pod has a claim for the first time. */
  readonly claims: () => Promise<ClaimLookup>;
  readonly requestToken: (account: Name, spec: TokenSpec) => Promise<IssuedToken>;
}

export type Preparation =
  | (PreparedVolume & { readonly lacks?: readonly Notice[]; readonly refreshInMs?: number })
  /** Of the volume under another name, or at another step than its set-up. */
  | { readonly problem: string; readonly name?: string; readonly step?: string }
  | { readonly unprocessed: string };

export async function prepareVolume(
  world: VolumeWorld,
  pod: Pod,
  volume: Volume,
): Promise<Preparation> {
  if (claimNameOf(pod, volume) !== undefined) return prepareClaim(world, pod, volume);
  if (isComposed(volume)) return prepareComposed(world, pod, volume);
  if (volume.hostPath !== undefined) {
    const found = await findHostPath(volume.hostPath);
    return "problem" in found ? found : { ...found, isReadOnly: false };
  }
  if (volume.emptyDir !== undefined) return prepareEmpty(world, pod, volume);
  return { problem: "no volume plugin matched" };
}

async function prepareEmpty(
  { directories, allocatable }: VolumeWorld,
  pod: Pod,
  { name, emptyDir = {} }: Volume,
): Promise<Preparation> {
  const { uid = "" } = pod.metadata;
  const { medium = "", sizeLimit } = emptyDir;
  if (medium === "Memory") {
    const sizeBytes = memoryOf(pod, sizeLimit, allocatable);
    const { path, lack } = await directories.ensureMemory(uid, name, sizeBytes);
    await giveToFsGroup(pod, path);
    const lacks = lack === undefined ? [] : [memoryNotice(name, lack)];
    return { path, isReadOnly: false, lacks };
  }
  if (medium !== "") return { problem: `unsupported storage medium ${quote(medium)}` };
  const path = await directories.ensure(uid, name);
  await giveToFsGroup(pod, path);
  const isLimited = sizeLimit !== undefined && wholeUnits(getQuantity(sizeLimit)) > 0n;
  return { path, isReadOnly: false, lacks: isLimited ? [sizeNotice(name, sizeLimit)] : [] };
}

function memoryNotice(volume: string, why: string): Notice {
  const message = `volume ${quote(volume)} has no file system of memory of its own: ${why}`;
  return { reason: "MemoryVolumeNotMounted", message };
}

function sizeNotice(volume: string, sizeLimit: string): Notice {
  const message = `the size limit of volume ${quote(volume)} (${sizeLimit}) is not enforced`;
  return { reason: "LimitNotEnforced", message };
}

async function prepareClaim(world: VolumeWorld, pod: Pod, volume: Volume): Promise<Preparation> {
  const source = sourceOfClaim(pod, volume, await world.claims());
  if ("unprocessed" in source) return source;
  const { name, hostPath, isGiven, isReadOnly } = source;
  if (isGiven && !(await isThere(hostPath.path))) {
    const problem = `path ${quote(hostPath.path)} does not exist`;
    return { problem, name, step: "MountVolume.NewMounter initialization failed" };
  }
  const found = await findHostPath(hostPath);
  if ("problem" in found) return { ...found, name };
  // A directory that somebody named is theirs to give; one that was made for the claim is not.
  if (isGiven && !isReadOnly) await giveToFsGroup(pod, found.path);
  return { ...found, isReadOnly };
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function giveToFsGroup({ spec }: Pod, path: string): Promise<void> {
  const { fsGroup, fsGroupChangePolicy } = spec.securityContext ?? {};
  if (fsGroup === undefined) return;
  const onlyOnMismatch = fsGroupChangePolicy === "OnRootMismatch";
  await giveTreeToGroup(path, { gid: fsGroup, isReadOnly: false }, { onlyOnMismatch });
}

async function prepareComposed(world: VolumeWorld, pod: Pod, volume: Volume): Promise<Preparation> {
  const path = await world.directories.ensure(pod.metadata.uid ?? "", volume.name);
  const written = await writeComposed(world, pod, volume, () => false);
  if (written === undefined) return { path, isReadOnly: true };
  return "problem" in written ? written : { path, isReadOnly: true, ...written };
}

export type Written = { readonly problem: string } | { readonly refreshInMs?: number };

/** Undefined where nobody needs it any more, or there is nothing to follow. */
export async function writeComposed(
  world: VolumeWorld,
  pod: Pod,
  volume: Volume,
  isReleased: () => boolean,
): Promise<Written | undefined> {
  const { clock, directories, allocatable } = world;
  const { namespace = "", uid = "" } = pod.metadata;
  const tokens = await requestTokens(world, pod, volume);
  if ("problem" in tokens) return tokens;
  if (isReleased()) return undefined;
  const composed = composePayload(volume, {
    pod,
    allocatable,
    tokens: tokens.byPath,
    configMap: (name) => world.configMap(namespace, name),
    secret: (name) => world.secret(namespace, name),
  });
  if (composed === undefined || "problem" in composed) return composed;
  const { fsGroup } = pod.spec.securityContext ?? {};
  writeAtomically(directories.of(uid, volume.name), composed.payload, {
    nowMs: clock.nowMs(),
    ...(fsGroup === undefined ? {} : { fsGroup }),
  });
  const { refreshInMs } = tokens;
  return refreshInMs === undefined ? {} : { refreshInMs };
}

type Tokens =
  | { readonly byPath: ReadonlyMap<string, string>; readonly refreshInMs?: number }
  | { readonly problem: string };

const NO_TOKENS: Tokens = { byPath: new Map() };

async function requestTokens(world: VolumeWorld, pod: Pod, volume: Volume): Promise<Tokens> {
  const wanted = projectedTokens(volume);
  if (wanted.length === 0) return NO_TOKENS;
  const { namespace = "", name = "", uid = "" } = pod.metadata;
  const account = { namespace, name: pod.spec.serviceAccountName ?? "default" };
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name, uid };
  const byPath = new Map<string, string>();
  const delays: number[] = [];
  try {
    for (const { path, audience = "", expirationSeconds } of wanted) {
      const issued = await world.requestToken(account, {
        ...(audience === "" ? {} : { audiences: [audience] }),
        ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
        boundObjectRef,
      });
      byPath.set(path, issued.token);
      delays.push(refreshDelayMs(issued, world.clock.nowMs()));
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { problem: `failed to fetch token: ${why}` };
  }
  return { byPath, refreshInMs: Math.min(...delays) };
}
