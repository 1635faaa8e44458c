/** Pure: ConfigMaps and Secrets as sources of variables. */
import type { ConfigMap, Container, EnvFromSource, Secret } from "../../api/generated/core.ts";

/** Names of objects in the namespace of the pod. */
export interface SourceNames {
  readonly configMaps: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
}

/**
 * All that the environment of a container is composed of, optional or not: what must be at hand
 * before, and whose change lets a container start that could not.
 */
export function sourcesOf({ env = [], envFrom = [] }: Container): SourceNames {
  const configMaps = new Set<string>();
  const secrets = new Set<string>();
  for (const { configMapRef, secretRef } of envFrom) {
    if (configMapRef !== undefined) configMaps.add(configMapRef.name ?? "");
    if (secretRef !== undefined) secrets.add(secretRef.name ?? "");
  }
  for (const { valueFrom } of env) {
    if (valueFrom?.configMapKeyRef) configMaps.add(valueFrom.configMapKeyRef.name ?? "");
    if (valueFrom?.secretKeyRef) secrets.add(valueFrom.secretKeyRef.name ?? "");
  }
  return { configMaps, secrets };
}

export interface Sources {
  readonly namespace: string;
  readonly configMaps: (name: string) => ConfigMap | undefined;
  readonly secrets: (name: string) => Secret | undefined;
}

type Data = { readonly [key: string]: string };

/** Nothing: an optional source that is not there. A problem: Kubernetes' own words for it. */
export type Found<T> = { readonly found: T } | { readonly nothing: true } | Missing;

interface Missing {
  readonly missing: string;
}

const NOTHING = { nothing: true } as const;

/** Every key of a whole source, with its prefix. */
export function findAll(
  { prefix = "", configMapRef, secretRef }: EnvFromSource,
  sources: Sources,
): Found<readonly (readonly [name: string, value: string])[]> {
  const source =
    configMapRef !== undefined
      ? configMapSource(configMapRef.name, sources)
      : secretSource(secretRef?.name, sources);
  const isOptional = (configMapRef ?? secretRef)?.optional === true;
  if (source.data === undefined) return isOptional ? NOTHING : absent(source);
  const all: (readonly [string, string])[] = [];
  for (const [key, written] of Object.entries(source.data)) {
    const value = source.decode(written);
    if (value === undefined) return binary(source, key, sources);
    all.push([`${prefix}${key}`, value]);
  }
  return { found: all };
}

export interface KeyReference {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

export function findConfigMapKey(reference: KeyReference, sources: Sources): Found<string> {
  return findKey(configMapSource(reference.name, sources), reference, sources);
}

export function findSecretKey(reference: KeyReference, sources: Sources): Found<string> {
  return findKey(secretSource(reference.name, sources), reference, sources);
}

interface Source {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
  /** Undefined: no such object. */
  readonly data: Data | undefined;
  /** Undefined for what is no text. */
  readonly decode: (written: string) => string | undefined;
}

function configMapSource(name = "", { configMaps }: Sources): Source {
  const object = configMaps(name);
  return { kind: "ConfigMap", name, data: object && (object.data ?? {}), decode: asWritten };
}

function secretSource(name = "", { secrets }: Sources): Source {
  const object = secrets(name);
  return { kind: "Secret", name, data: object && (object.data ?? {}), decode: decodeBase64 };
}

function asWritten(value: string): string {
  return value;
}

function decodeBase64(value: string): string | undefined {
  const bytes = Buffer.from(value, "base64");
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
}

function findKey(source: Source, { key, optional }: KeyReference, sources: Sources): Found<string> {
  const { kind, name, data } = source;
  if (data === undefined) return optional === true ? NOTHING : absent(source);
  const written = Object.hasOwn(data, key) ? data[key] : undefined;
  if (written === undefined) {
    if (optional === true) return NOTHING;
    return { missing: `couldn't find key ${key} in ${kind} ${sources.namespace}/${name}` };
  }
  const value = source.decode(written);
  return value === undefined ? binary(source, key, sources) : { found: value };
}

function absent({ kind, name }: Source): Missing {
  return { missing: `${kind.toLowerCase()} ${JSON.stringify(name)} not found` };
}

function binary({ kind, name }: Source, key: string, { namespace }: Sources): Missing {
  const place = `key ${key} in ${kind} ${namespace}/${name}`;
  return { missing: `the value of ${place} is not valid UTF-8 and cannot be a variable` };
}
