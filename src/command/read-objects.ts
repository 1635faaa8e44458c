/** Reads the objects that --filename names: in files, in directories of files, or on stdin. */
import { readdir, readFile, stat } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import type { KubeObject } from "../api/object.ts";
import { parseYaml, YamlError } from "../api/schema/yaml-text.ts";
import { CommandFailure } from "./command-failure.ts";
import type { Machine } from "./machine.ts";
import { splitDocuments } from "./split-documents.ts";

export interface ObjectFiles {
  readonly filename?: readonly string[];
  readonly recursive?: boolean;
}

export interface SourceObject {
  /** "job.yaml", or "STDIN". */
  readonly source: string;
  readonly object: KubeObject;
}

/** In the order they are written; the items of a List one by one. */
export async function readObjects(
  files: ObjectFiles,
  machine: Machine,
): Promise<readonly SourceObject[]> {
  const texts = await Promise.all(
    (files.filename ?? []).map((name) => readTexts(name, files.recursive === true, machine)),
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
