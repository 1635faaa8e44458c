/**
 * Pure: what a process has from the environment of the server.
 *
 * Enough to find programs and their libraries and to print in the user's language and time zone.
 * All else stays behind: what was exported for the server, tokens and KUBECONFIG among it, is not
 * meant for whatever a pod runs.
 */
import { NOT_HANDED_ON } from "../../api/run-environment.ts";
import type { Variable } from "./variable.ts";

const NAMES: readonly string[] = [
  "PATH",
  "LD_LIBRARY_PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "TMPDIR",
  "TZ",
  "LANG",
  "LANGUAGE",
];
const LOCALE = /^LC_[A-Z]+$/;

/** What containers have whose image names none. */
const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Composed once: it is the same for every pod. */
export function inheritedVariables(server: {
  readonly [name: string]: string | undefined;
}): Variable[] {
  const inherited: Variable[] = [];
  if (!server["PATH"]) inherited.push(["PATH", DEFAULT_PATH]);
  for (const [name, value] of Object.entries(server)) {
    if (!value) continue;
    if (NAMES.includes(name) || LOCALE.test(name)) inherited.push([name, value]);
  }
  return inherited;
}

/** For whoever starts processes on behalf of the very user whose environment it is. */
export function allVariables(server: { readonly [name: string]: string | undefined }): Variable[] {
  const usual = inheritedVariables(server);
  const names = new Set([...NOT_HANDED_ON, ...usual.map(([name]) => name)]);
  const others = Object.entries(server).filter(([name]) => !names.has(name));
  return [...usual, ...others.map(([name, value]): Variable => [name, value ?? ""])];
}
