/**
 * Whether a command can run at all, asked before anything is started: the answers are those of the
 * container runtimes, word for word where users search for them.
 */
import { accessSync, constants, type Stats, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Refusal, SandboxOrder, StartOrder } from "./protocol.ts";

export type Found = { readonly executable: string } | { readonly refusal: Refusal };

const NOT_FOUND = 127;
const NOT_PERMITTED = 126;
const NOT_STARTED = 128;

/** Linux takes no longer string for one argument or variable, with its end. */
const LONGEST_STRING = 128 * 1024 - 1;
/** And for all of them a quarter of the usual stack; each also costs a pointer. */
const LONGEST_IN_ALL = 2 * 1024 * 1024 - 16 * 1024;
const POINTER = 8;

export function findExecutable(order: StartOrder): Found {
  if (order.sandbox !== undefined) return findInSandbox(order, order.sandbox);
  const refusal = checkTexts(order) ?? checkDirectory(order.directory);
  if (refusal !== undefined) return { refusal };
  return findCommand(order);
}

/** A sandbox has the host's files, and volumes over them, of which only the run itself can tell. */
function findInSandbox(order: StartOrder, { mounts }: SandboxOrder): Found {
  const refusal = checkTexts(order);
  if (refusal !== undefined) return { refusal };
  const found = findCommand(order);
  const isMounted = (path: string) =>
    mounts.some(({ mountPath }) => `${path}/`.startsWith(`${mountPath.replace(/\/+$/, "")}/`));
  const places = searchedPlaces(order);
  return "refusal" in found && places.some(isMounted) ? { executable: places[0] ?? "" } : found;
}

function searchedPlaces({ command, directory, environment }: StartOrder): readonly string[] {
  const [name = ""] = command;
  if (name.includes("/")) return [isAbsolute(name) ? name : join(directory, name)];
  const path = environment.findLast(([each]) => each === "PATH")?.[1] ?? "";
  return path === "" ? [] : path.split(":").map((folder) => join(folder, name));
}

function findCommand(order: StartOrder): Found {
  const [name = ""] = order.command;
  if (name === "") return refuse(NOT_FOUND, 'exec: "": executable file not found in $PATH');
  return name.includes("/") ? findFile(name, order) : findInPath(name, order);
}

function checkTexts({ command, environment, directory, logFile }: StartOrder): Refusal | undefined {
  let inAll = 0;
  const variables = environment.map(([name, value]) => `${name}=${value}`);
  for (const text of [...command, ...variables, directory, logFile]) {
    if (text.includes("\0")) {
      const what = "a command, its environment and its directory cannot hold a NUL character";
      return { exitCode: NOT_STARTED, message: what };
    }
    const bytes = Buffer.byteLength(text);
    inAll += bytes + 1 + POINTER;
    if (bytes >= LONGEST_STRING || inAll > LONGEST_IN_ALL) {
      return { exitCode: NOT_PERMITTED, message: tooLong(command[0] ?? "", bytes) };
    }
  }
  return undefined;
}

function tooLong(name: string, bytes: number): string {
  const which =
    bytes >= LONGEST_STRING
      ? `one of ${bytes} bytes, where ${LONGEST_STRING - 1} is the most`
      : `more than ${LONGEST_IN_ALL} bytes with the environment`;
  return `exec: ${JSON.stringify(name)}: argument list too long: ${which}`;
}

function checkDirectory(directory: string): Refusal | undefined {
  if (isRecent(directory)) return undefined;
  const stat = statOf(directory);
  const problem =
    typeof stat === "string"
      ? stat
      : !stat.isDirectory()
        ? "not a directory"
        : isAccessible(directory)
          ? undefined
          : "permission denied";
  if (problem === undefined) return remember(directory);
  const message = `working directory ${JSON.stringify(directory)}: ${problem}`;
  return { exitCode: NOT_STARTED, message };
}

function findFile(name: string, { directory }: StartOrder): Found {
  const path = isAbsolute(name) ? name : join(directory, name);
  if (isRecent(path)) return { executable: path };
  const stat = statOf(path);
  const quoted = JSON.stringify(name);
  if (typeof stat === "string") return refuse(NOT_FOUND, `exec: ${quoted}: stat ${name}: ${stat}`);
  if (stat.isDirectory()) return refuse(NOT_PERMITTED, `exec: ${quoted}: is a directory`);
  if (!isAccessible(path)) return refuse(NOT_PERMITTED, `exec: ${quoted}: permission denied`);
  remember(path);
  return { executable: path };
}

function findInPath(name: string, order: StartOrder): Found {
  const path = order.environment.findLast(([each]) => each === "PATH")?.[1] ?? "";
  let wasForbidden = false;
  for (const folder of path === "" ? [] : path.split(":")) {
    const candidate = join(isAbsolute(folder) ? folder : join(order.directory, folder), name);
    if (isRecent(candidate)) return { executable: candidate };
    const stat = statOf(candidate);
    if (typeof stat === "string" || stat.isDirectory()) continue;
    if (isAccessible(candidate)) {
      remember(candidate);
      return { executable: candidate };
    }
    wasForbidden = true;
  }
  const quoted = JSON.stringify(name);
  if (wasForbidden) return refuse(NOT_PERMITTED, `exec: ${quoted}: permission denied`);
  return refuse(NOT_FOUND, `exec: ${quoted}: executable file not found in $PATH`);
}

function refuse(exitCode: number, message: string): Found {
  return { refusal: { exitCode, message } };
}

function statOf(path: string): string | Stats {
  try {
    return statSync(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return PROBLEMS[code ?? ""] ?? message;
  }
}

const PROBLEMS: { readonly [code: string]: string } = {
  ENOENT: "no such file or directory",
  ENOTDIR: "not a directory",
  EACCES: "permission denied",
  ELOOP: "too many levels of symbolic links",
  ENAMETOOLONG: "file name too long",
};

function isAccessible(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Thousands of runs a second are of one command in one directory. What vanishes within the second
 * that it is remembered for fails in the slot instead.
 */
const recent = new Map<string, number>();
const REMEMBERED_MS = 1000;
const MOST_REMEMBERED = 1024;

function isRecent(path: string): boolean {
  const at = recent.get(path);
  return at !== undefined && performance.now() - at < REMEMBERED_MS;
}

function remember(path: string): undefined {
  if (recent.size >= MOST_REMEMBERED) recent.clear();
  recent.set(path, performance.now());
}
