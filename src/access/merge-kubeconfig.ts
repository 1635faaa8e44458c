/**
 * Changes the user's own kubeconfig, only on request: our cluster, user and context are added or
 * updated, and our context becomes the current one. Everything else stays, including comments.
 */
import { open, realpath, rm, stat } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { type Document, isMap, isScalar, isSeq, parseDocument, YAMLMap, YAMLSeq } from "yaml";
import { type Access, base64, CLUSTER, CONTEXT, formatKubeconfig, USER } from "./kubeconfig.ts";
import {
  ensureDirectory,
  readIfPresent,
  type WriteOptions,
  writePrivateFile,
} from "./private-file.ts";

/** The file that kubectl would change: the first existing one in $KUBECONFIG, or the last one. */
export async function findUserKubeconfig(
  environment: { readonly [name: string]: string | undefined },
  home: string,
): Promise<string> {
  const listed = (environment["KUBECONFIG"] ?? "").split(delimiter).filter((file) => file !== "");
  for (const file of listed) {
    if (await stat(file).catch(() => undefined)) return file;
  }
  return listed.at(-1) ?? join(home, ".kube", "config");
}

/** A file that is not a kubeconfig is rejected and left unchanged. */
export async function mergeKubeconfig(userFile: string, access: Access): Promise<void> {
  // If the path is a symbolic link, its target is replaced and the link stays.
  const file = await realpath(userFile).catch(() => userFile);
  await ensureDirectory(dirname(file));
  await withLock(file, async () => {
    const { text, ...options } = await readUserFile(file);
    const merged = mergeText(text, access, userFile);
    if (merged !== text) await writePrivateFile(file, merged, options);
  });
}

/** kubectl takes the same lock, so that neither program overwrites changes of the other. */
async function withLock(file: string, task: () => Promise<void>): Promise<void> {
  const lock = `${file}.lock`;
  try {
    await (await open(lock, "wx")).close();
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause;
    const advice = `delete ${lock} if no other program is at work`;
    throw new Error(`${file} is being changed by another program (${advice})`, { cause });
  }
  try {
    await task();
  } finally {
    await rm(lock, { force: true });
  }
}

async function readUserFile(file: string): Promise<{ readonly text: string } & WriteOptions> {
  const text = await readIfPresent(file);
  if (text === undefined) return { text: "" };
  const { mode, uid, gid } = await stat(file);
  return { text, mode: mode & 0o777, owner: { uid, gid } };
}

function mergeText(text: string, access: Access, file: string): string {
  if (text.trim() === "") return formatKubeconfig(access);
  const document = parseDocument(text);
  try {
    setEntries(document, access);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${file} is no valid kubeconfig and was not changed: ${problem}`, { cause });
  }
  // kubectl does not indent lists, people often do: keep the style of the file.
  return document.toString({ lineWidth: 0, indentSeq: !/^- /m.test(text) });
}

/** Throws an error that describes the problem if the document is not a kubeconfig. */
function setEntries(document: Document.Parsed, { url, ca, token }: Access): void {
  const [problem] = document.errors;
  if (problem) throw new Error(problem.message.split("\n")[0]);
  const root = document.contents ?? new YAMLMap(document.schema);
  if (!isMap(root)) throw new Error("it is not a mapping");
  document.contents = root as typeof document.contents;
  for (const [key, value] of HEADER) {
    const found = document.get(key) ?? value;
    if (found !== value) throw new Error(`${key} is ${JSON.stringify(found)}, not "${value}"`);
    document.set(key, value);
  }
  const cluster = { "certificate-authority-data": base64(ca), server: url };
  entryOf(document, "clusters", CLUSTER).set("cluster", document.createNode(cluster));
  entryOf(document, "users", USER).set("user", document.createNode({ token }));
  // A namespace chosen with "kubectl config set-context" is kept.
  const context = entryOf(document, "contexts", CONTEXT);
  context.setIn(["context", "cluster"], CLUSTER);
  context.setIn(["context", "user"], USER);
  document.set("current-context", CONTEXT);
}

const HEADER = [
  ["apiVersion", "v1"],
  ["kind", "Config"],
] as const;

/** The entry of that name in the list, appended if it is missing. */
function entryOf(document: Document, key: string, name: string): YAMLMap {
  const list = listOf(document, key);
  const found = list.items.find((item) => isMap(item) && item.get("name") === name);
  if (isMap(found)) return found;
  const added = new YAMLMap(document.schema);
  added.set("name", name);
  list.add(added);
  return added;
}

function listOf(document: Document, key: string): YAMLSeq {
  const node: unknown = document.get(key, true);
  if (isSeq(node)) return node;
  const isAbsent = node === undefined || (isScalar(node) && node.value === null);
  if (!isAbsent) throw new Error(`${key} is not a list`);
  const list = new YAMLSeq(document.schema);
  document.set(key, list);
  return list;
}
