/**
 * The environment of the processes of a run, captured where the command was typed: variables,
 * working directory, umask and limits. It is stored as a Secret that an annotation of the Job
 * names, so that it does not matter which process hosts the engine.
 */
import { textOfBytes } from "../base/byte-text.ts";
import type { Secret } from "./generated/core.ts";
import type { KubeObject } from "./object.ts";

/** On a Job: the Secret with the environment of its run. */
export const ENVIRONMENT = "tallyjob.io/environment";

/** The reason of the event on a Job whose hard limits are higher than its node can set. */
export const LIMITS_NOT_RESTORED = "LimitsNotRestored";

export interface RunEnvironment {
  /** "NAME=VALUE", each followed by a NUL byte, byte for byte as the process had them. */
  readonly variables: Uint8Array;
  /** Absolute. */
  readonly workingDirectory: string;
  /** Octal: "0022". */
  readonly umask: string;
  /** In the format of base/process-limits.ts; empty if the system does not report them. */
  readonly limits: string;
}

/**
 * Variables that do not belong to a run: those that a shell sets for itself, and those that Tally
 * sets for one process.
 */
export const NOT_HANDED_ON: readonly string[] = [
  "_",
  "PWD",
  "OLDPWD",
  "SHLVL",
  "TALLY_RUN",
  "TALLY_LAUNCH",
];

export function environmentNameOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[ENVIRONMENT];
}

const TYPE = "tallyjob.io/environment";
const KEYS = ["variables", "workingDirectory", "umask", "limits"] as const;

/** With the given metadata. The Secret is immutable: another environment is another object. */
export function composeEnvironmentSecret(
  { variables, workingDirectory, umask, limits }: RunEnvironment,
  metadata: Secret["metadata"],
): Secret {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata,
    immutable: true,
    type: TYPE,
    data: {
      variables: Buffer.from(variables).toString("base64"),
      workingDirectory: base64(workingDirectory),
      umask: base64(umask),
      limits: base64(limits),
    },
  };
}

export type ParsedEnvironment = RunEnvironment | { readonly problem: string };

export function parseEnvironmentSecret({ type, data = {} }: Secret): ParsedEnvironment {
  if (type !== TYPE) return { problem: `is not of type ${TYPE}` };
  const missing = KEYS.find((key) => !Object.hasOwn(data, key));
  if (missing !== undefined) return { problem: `has no key ${JSON.stringify(missing)}` };
  const text = (key: (typeof KEYS)[number]) => fromBase64(data[key] ?? "").toString("utf8");
  const umask = text("umask");
  if (!/^[0-7]{3,4}$/.test(umask)) return { problem: "has a umask that is no octal number" };
  return {
    variables: fromBase64(data["variables"] ?? ""),
    workingDirectory: text("workingDirectory"),
    umask,
    limits: text("limits"),
  };
}

/** By name. Values that are not UTF-8 are encoded by base/byte-text.ts. */
export function variablesOf({
  variables,
}: Pick<RunEnvironment, "variables">): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const entry of textOfBytes(variables).split("\0")) {
    const at = entry.indexOf("=");
    // If a name occurs twice, programs see the first.
    if (at > 0 && !found.has(entry.slice(0, at)))
      found.set(entry.slice(0, at), entry.slice(at + 1));
  }
  return found;
}

function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, "base64");
}
