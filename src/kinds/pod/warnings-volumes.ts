/** Pure: warnings about volumes: removed plugins, and files that would hide each other. */
import type { Volume, VolumeProjection } from "../../api/generated/core.ts";
import { byteWarnings } from "./warnings-bytes.ts";

export function volumeWarnings(volumes: readonly Volume[], path: string): string[] {
  return [
    ...volumes.flatMap((volume, at) => pluginWarnings(volume, `${path}[${at}]`)),
    ...volumes.flatMap(overlapWarnings),
  ];
}

const LEGACY_PLUGINS = [
  ["photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"],
  ["scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"],
  ["storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"],
  ["quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"],
] as const;

function pluginWarnings(volume: Volume, path: string): string[] {
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec.resources;
  const claimPath = `${path}.ephemeral.volumeClaimTemplate.spec.resources`;
  return [
    ...LEGACY_PLUGINS.filter(([key]) => volume[key] !== undefined).map(
      ([, shown, message]) => `${path}.${shown}: ${message}`,
    ),
    ...byteWarnings(claim?.requests, `${claimPath}.requests`, ["storage"]),
    ...byteWarnings(claim?.limits, `${claimPath}.limits`, ["storage"]),
  ];
}

/** A file of a volume, and the source it comes from. */
interface PlacedFile {
  readonly path: string;
  readonly source: string;
}

function overlapWarnings(volume: Volume): string[] {
  const { configMap, secret, downwardAPI, projected } = volume;
  const name = JSON.stringify(volume.name);
  const files = (items: readonly { readonly path: string }[] = []) =>
    items.map(({ path }) => ({ path, source: "" }));
  const warn = (what: string, overlapping: readonly string[]) =>
    overlapping.map((overlap) => `volume ${name} (${what}): overlapping paths: ${overlap}`);
  const mapName = JSON.stringify(configMap?.name ?? "");
  const secretName = JSON.stringify(secret?.secretName ?? "");
  const placed: PlacedFile[] = [];
  return [
    ...warn(`ConfigMap ${mapName}`, overlaps(files(configMap?.items))),
    ...warn(`Secret ${secretName}`, overlaps(files(secret?.items))),
    ...warn("DownwardAPI", overlaps(files(downwardAPI?.items))),
    ...(projected?.sources ?? []).flatMap((source) =>
      Object.keys(source).length === 0
        ? [`volume ${name} (Projected) has no sources provided`]
        : warn("Projected", overlaps(projectedFiles(source), placed)),
    ),
  ];
}

function projectedFiles(projection: VolumeProjection): PlacedFile[] {
  const { configMap, secret, downwardAPI, serviceAccountToken } = projection;
  const named = (items: readonly { readonly path: string }[], source: string) =>
    items.map(({ path }) => ({ path, source }));
  if (configMap?.items) {
    return named(configMap.items, `ConfigMap ${JSON.stringify(configMap.name ?? "")}`);
  }
  if (secret?.items) return named(secret.items, `Secret ${JSON.stringify(secret.name ?? "")}`);
  if (downwardAPI?.items) return named(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken) return named([serviceAccountToken], "ServiceAccountToken");
  return [];
}

/**
 * Two paths overlap if they are equal or one is below the other. Each file is compared with the
 * files placed before it, and then added to them.
 */
function overlaps(files: readonly PlacedFile[], placed: PlacedFile[] = []): string[] {
  return files.flatMap(({ path, source }) => {
    const file = { path: path.replace(/\/+$/, ""), source };
    const overlapping = placed.filter(
      (other) => file.path !== "" && other.path !== "" && isWithin(file.path, other.path),
    );
    placed.push(file);
    return overlapping.map((other) => `${show(file)} with ${show(other)}`);
  });
}

function isWithin(one: string, other: string): boolean {
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}

function show({ path, source }: PlacedFile): string {
  return source === "" ? JSON.stringify(path) : `${JSON.stringify(path)} (${source})`;
}
