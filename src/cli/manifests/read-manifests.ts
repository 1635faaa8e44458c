/** Reads what --filename names: files, directories of them, stdin. */
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import type { KubeObject } from "../../api/object.ts";
import { parseYaml, YamlError } from "../../api/schema/yaml-text.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { findKind, type Offered } from "../cluster/discovery.ts";
import { CommandFailure } from "../command-failure.ts";
import type { Machine } from "../machine.ts";
import { splitDocuments } from "./split-documents.ts";

export interface ManifestFlags {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
  /** As given: an object that says another one is refused. */
  readonly namespace?: string;
}

export interface Manifest {
  /** "job.yaml", or "STDIN". */
  readonly source: string;
  readonly type: Offered;
  /** In the namespace it is meant for. */
  readonly object: KubeObject;
}

/** In the order they are written; the items of a List one by one. */
export async function readManifests(
  cluster: Cluster,
  flags: ManifestFlags,
  machine: Machine,
): Promise<readonly Manifest[]> {
  const objects = await readObjects(flags, machine);
  if (objects.length === 0) throw new CommandFailure("error: no objects passed to apply");
  const offered = await cluster.offered();
  return objects.map(({ source, object }) => {
    const type = findKind(offered, object);
    if (type === undefined) throw unknownKind(source, object);
    return { source, type, object: placed(object, type, cluster, flags) };
  });
}

/** The same as they are written, whatever a server would make of them. */
export async function readObjects(
  flags: ManifestFlags,
  machine: Machine,
): Promise<readonly { readonly source: string; readonly object: KubeObject }[]> {
  const texts = await Promise.all(
    (flags.filename ?? []).map((name) => readTexts(name, flags.recursive === true, machine)),
  );
  return texts
    .flat()
    .flatMap(({ source, text }) => splitDocuments(text).map((document) => ({ source, document })))
    .flatMap(({ source, document }) => objectsOf(source, parseDocument(source, document)));
}

interface SourceText {
  readonly source: string;
  readonly text: string;
}

async function readTexts(
  name: string,
  isRecursive: boolean,
  machine: Machine,
): Promise<readonly SourceText[]> {
  if (name === "-") return [{ source: "STDIN", text: await machine.readInput() }];
  const path = resolve(machine.workingDirectory, name);
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) {
    throw new CommandFailure(`error: the path ${JSON.stringify(name)} does not exist`);
  }
  if (!found.isDirectory()) return [{ source: name, text: await readFile(path, "utf8") }];
  const files = await manifestFiles(path, isRecursive);
  if (files.length === 0) {
    throw new CommandFailure(
      `error: error reading [${name}]: recognized file extensions are [${EXTENSIONS.join(" ")}]`,
    );
  }
  return Promise.all(
    files.map(async (file) => ({
      source: join(name, file),
      text: await readFile(join(path, file), "utf8"),
    })),
  );
}

const EXTENSIONS = [".json", ".yaml", ".yml"];

async function manifestFiles(directory: string, isRecursive: boolean): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: isRecursive, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && EXTENSIONS.includes(extname(entry.name)))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(directory.length + 1))
    .sort();
}

function parseDocument(source: string, document: string): unknown {
  try {
    return parseYaml(document).value;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new CommandFailure(
      `error: error parsing ${source}: error converting YAML to JSON: ${error.message}`,
    );
  }
}

interface SourceObject {
  readonly source: string;
  readonly object: KubeObject;
}

function objectsOf(source: string, value: unknown): readonly SourceObject[] {
  const object = objectOf(source, value);
  if (!object.kind.endsWith("List") || !("items" in object)) return [{ source, object }];
  const items = Array.isArray(object.items) ? object.items : [];
  return items.flatMap((item) => objectsOf(source, item));
}

function objectOf(source: string, value: unknown): KubeObject {
  const fields = value !== null && typeof value === "object" ? value : {};
  for (const field of ["kind", "apiVersion"] as const) {
    const text = field in fields ? (fields as Record<string, unknown>)[field] : undefined;
    if (typeof text === "string" && text !== "") continue;
    throw new CommandFailure(`error: error validating ${JSON.stringify(source)}: ${field} not set`);
  }
  const metadata = (fields as { readonly metadata?: unknown }).metadata;
  const isObject = metadata !== null && typeof metadata === "object" && !Array.isArray(metadata);
  return { ...(fields as KubeObject), metadata: isObject ? metadata : {} };
}

function placed(
  object: KubeObject,
  type: Offered,
  cluster: Cluster,
  flags: ManifestFlags,
): KubeObject {
  const { namespace } = object.metadata;
  if (!type.namespaced) return object;
  if (namespace && flags.namespace && namespace !== flags.namespace) {
    throw new CommandFailure(
      `error: the namespace from the provided object "${namespace}" does not match the ` +
        `namespace "${flags.namespace}". You must pass '--namespace=${namespace}' to perform ` +
        "this operation.",
    );
  }
  return { ...object, metadata: { ...object.metadata, namespace: namespace || cluster.namespace } };
}

function unknownKind(source: string, { apiVersion, kind, metadata }: KubeObject): CommandFailure {
  const { name = "", namespace = "" } = metadata;
  return new CommandFailure(
    `error: resource mapping not found for name: "${name}" namespace: "${namespace}" from ` +
      `"${source}": no matches for kind "${kind}" in version "${apiVersion}"\n` +
      "ensure CRDs are installed first",
  );
}
