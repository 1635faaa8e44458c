/**
 * Pure: the files of a volume that is made of objects: a ConfigMap, a Secret, the pod itself, or
 * several of them projected into one. In kubelet's words, why there are none.
 */
import { quote } from "../../api/finding.ts";
import type {
  ConfigMap,
  ConfigMapProjection,
  KeyToPath,
  Pod,
  ProjectedVolumeSource,
  Secret,
  SecretProjection,
  ServiceAccountTokenProjection,
  Volume,
  VolumeProjection,
} from "../../api/generated/core.ts";
import { type DownwardSource, downwardFiles } from "./downward.ts";
import type { FileProjection, Files, Payload } from "./files.ts";

export interface PayloadSource extends DownwardSource {
  /** Of the namespace of the pod. */
  readonly configMap: (name: string) => ConfigMap | undefined;
  readonly secret: (name: string) => Secret | undefined;
  /** Those that the volume projects, by their paths. */
  readonly tokens: ReadonlyMap<string, string>;
}

export type ComposedPayload = { readonly payload: Payload } | { readonly problem: string };

/** Undefined: the volume is made of something else. */
export function composePayload(
  { configMap, secret, downwardAPI, projected }: Volume,
  source: PayloadSource,
): ComposedPayload | undefined {
  if (configMap !== undefined) {
    const { defaultMode = DEFAULT_MODE } = configMap;
    return single(configMapFiles(configMap, source, defaultMode));
  }
  if (secret !== undefined) {
    const { secretName: name = "", defaultMode = DEFAULT_MODE, ...rest } = secret;
    return single(secretFiles({ name, ...rest }, source, defaultMode));
  }
  if (downwardAPI !== undefined) {
    const { items = [], defaultMode = DEFAULT_MODE } = downwardAPI;
    return single(downwardFiles(items, source, defaultMode));
  }
  return projected && projectedFiles(projected, source);
}

/** Which volumes are made of files that others may change under a running container. */
export function isComposed({ configMap, secret, downwardAPI, projected }: Volume): boolean {
  return (configMap ?? secret ?? downwardAPI ?? projected) !== undefined;
}

export function projectedTokens({ projected }: Volume): readonly ServiceAccountTokenProjection[] {
  return (projected?.sources ?? []).flatMap(({ serviceAccountToken: token }) =>
    token === undefined ? [] : [token],
  );
}

const DEFAULT_MODE = 0o644;
/** What was made for one user is for that user's eyes. */
const OWN_MODE = 0o600;

function single(files: Files): ComposedPayload {
  if ("problems" in files) return { problem: aggregate(files.problems) };
  return { payload: new Map(files.files) };
}

/** As Go's aggregate of errors reads; the same words are said once. */
function aggregate(problems: readonly string[]): string {
  const different = [...new Set(problems)];
  return different.length === 1 ? (different[0] ?? "") : `[${different.join(", ")}]`;
}

function projectedFiles(
  { sources, defaultMode = DEFAULT_MODE }: ProjectedVolumeSource,
  source: PayloadSource,
): ComposedPayload {
  const all = (sources ?? []).map((each) => filesOf(each, source, defaultMode));
  const problems = all.flatMap((files) => ("problems" in files ? files.problems : []));
  if (problems.length > 0) return { problem: aggregate(problems) };
  return { payload: new Map(all.flatMap((files) => ("files" in files ? files.files : []))) };
}

function filesOf(
  { secret, configMap, downwardAPI, serviceAccountToken }: VolumeProjection,
  source: PayloadSource,
  mode: number,
): Files {
  if (secret !== undefined) return secretFiles(secret, source, mode);
  if (configMap !== undefined) return configMapFiles(configMap, source, mode);
  if (downwardAPI !== undefined) return downwardFiles(downwardAPI.items ?? [], source, mode);
  if (serviceAccountToken === undefined) return { files: [] };
  const { path } = serviceAccountToken;
  const token = source.tokens.get(path);
  if (token === undefined) return { problems: [`failed to fetch token for ${quote(path)}`] };
  return { files: [[path, { content: utf8(token), mode: tokenMode(source.pod, mode) }]] };
}

function tokenMode({ spec }: Pod, mode: number): number {
  const { fsGroup } = spec.securityContext ?? {};
  return fsGroup === undefined ? mode : OWN_MODE;
}

function configMapFiles(
  reference: ConfigMapProjection,
  source: PayloadSource,
  mode: number,
): Files {
  const { name = "" } = reference;
  const object = source.configMap(name);
  if (object === undefined && reference.optional !== true) {
    return { problems: [`configmap ${quote(name)} not found`] };
  }
  const contents = new Map<string, Uint8Array>();
  for (const [key, text] of Object.entries(object?.data ?? {})) contents.set(key, utf8(text));
  for (const [key, base64] of Object.entries(object?.binaryData ?? {})) {
    contents.set(key, Buffer.from(base64, "base64"));
  }
  const missing = "configmap references non-existent config key";
  return pick(contents, reference, { missing, mode });
}

function secretFiles(reference: SecretProjection, source: PayloadSource, mode: number): Files {
  const { name = "" } = reference;
  const object = source.secret(name);
  if (object === undefined && reference.optional !== true) {
    return { problems: [`secret ${quote(name)} not found`] };
  }
  const contents = new Map<string, Uint8Array>();
  for (const [key, base64] of Object.entries(object?.data ?? {})) {
    contents.set(key, Buffer.from(base64, "base64"));
  }
  return pick(contents, reference, { missing: "references non-existent secret key", mode });
}

interface Picking {
  readonly missing: string;
  readonly mode: number;
}

/** All keys under their own names, or those that are asked for under the paths that are. */
function pick(
  contents: ReadonlyMap<string, Uint8Array>,
  { items = [], optional }: { readonly items?: readonly KeyToPath[]; readonly optional?: boolean },
  { missing, mode }: Picking,
): Files {
  if (items.length === 0) {
    return { files: [...contents].map(([key, content]) => [key, { content, mode }] as const) };
  }
  const files: (readonly [string, FileProjection])[] = [];
  for (const { key, path, mode: own = mode } of items) {
    const content = contents.get(key);
    if (content !== undefined) files.push([path, { content, mode: own }]);
    else if (optional !== true) return { problems: [`${missing}: ${key}`] };
  }
  return { files };
}

function utf8(text: string): Uint8Array {
  return Buffer.from(text, "utf8");
}
