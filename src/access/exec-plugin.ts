/**
 * Pure: exec plugins of a kubeconfig, which provide the credentials of the user: their input, an
 * ExecCredential in the environment, and their answer.
 */
import type { Credentials } from "../base/credentials.ts";

export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  /** A message for users who have not installed the plugin. */
  readonly installHint?: string;
  readonly interactiveMode: "Never" | "IfAvailable" | "Always";
  /** The cluster information for the plugin; absent if it does not request it. */
  readonly cluster?: { readonly [field: string]: unknown };
}

interface Mapping {
  readonly [key: string]: unknown;
}

interface Place {
  readonly directory: string;
  readonly entry: Mapping;
}

const VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

export function readExecPlugin(exec: Mapping, user: Place, cluster: Place): ExecPlugin {
  const apiVersion = String(exec["apiVersion"] ?? "");
  if (!VERSIONS.includes(apiVersion)) {
    throw new Error(`exec plugin: invalid apiVersion ${JSON.stringify(apiVersion)}`);
  }
  const command = String(exec["command"] ?? "");
  if (command === "") throw new Error("exec plugin: command must be specified");
  const mode = exec["interactiveMode"] ?? (apiVersion === VERSIONS[0] ? undefined : "IfAvailable");
  if (mode !== "Never" && mode !== "IfAvailable" && mode !== "Always") {
    throw new Error(
      `exec plugin: interactiveMode must be Never, IfAvailable or Always to use ${apiVersion}`,
    );
  }
  const hint = exec["installHint"];
  return {
    apiVersion,
    // A relative path is relative to the kubeconfig; a plain name is looked up in $PATH.
    command: /^[^/]+\//.test(command) ? `${user.directory}/${command}` : command,
    args: listOf(exec["args"]).map(String),
    env: Object.fromEntries(listOf(exec["env"]).filter(isMapping).map(pairOf)),
    ...(typeof hint === "string" && hint !== "" ? { installHint: hint } : {}),
    interactiveMode: mode,
    ...(exec["provideClusterInfo"] === true ? { cluster: clusterInfo(cluster) } : {}),
  };
}

function pairOf({ name, value }: Mapping): [string, string] {
  return [String(name ?? ""), String(value ?? "")];
}

const TOLD_OF_CLUSTER = [
  "server",
  "tls-server-name",
  "insecure-skip-tls-verify",
  "certificate-authority-data",
  "proxy-url",
  "disable-compression",
];

function clusterInfo({ entry }: Place): { readonly [field: string]: unknown } {
  const told = TOLD_OF_CLUSTER.filter((field) => entry[field] !== undefined);
  const extension = listOf(entry["extensions"])
    .filter(isMapping)
    .find(({ name }) => name === "client.authentication.k8s.io/exec");
  return {
    ...Object.fromEntries(told.map((field) => [field, entry[field]])),
    ...(extension ? { config: extension["extension"] } : {}),
  };
}

/** The value of KUBERNETES_EXEC_INFO for the plugin. */
export function execInfo({ apiVersion, cluster }: ExecPlugin, interactive: boolean): string {
  const spec = { ...(cluster ? { cluster } : {}), interactive };
  return JSON.stringify({ kind: "ExecCredential", apiVersion, spec });
}

export interface ExecAnswer {
  readonly credentials: Credentials;
  /** Absent: valid until the server rejects them. */
  readonly expiresMs?: number;
}

export function readExecAnswer({ apiVersion }: ExecPlugin, text: string): ExecAnswer {
  const answer = parsed(text);
  if (answer["kind"] !== "ExecCredential" || answer["apiVersion"] !== apiVersion) {
    const told = `${answer["apiVersion"]} ${answer["kind"]}`;
    throw new Error(`exec plugin: the answer is ${told}, not ${apiVersion} ExecCredential`);
  }
  const { status } = answer;
  if (!isMapping(status)) throw new Error("exec plugin didn't return a status field");
  const token = textOf(status["token"]);
  const cert = textOf(status["clientCertificateData"]);
  const key = textOf(status["clientKeyData"]);
  if ((cert === undefined) !== (key === undefined)) {
    throw new Error("exec plugin returned only certificate or key, not both");
  }
  if (token === undefined && cert === undefined) {
    throw new Error("exec plugin didn't return a token or cert/key pair");
  }
  const expiresMs = Date.parse(textOf(status["expirationTimestamp"]) ?? "");
  return {
    credentials: {
      ...(token === undefined ? {} : { token }),
      ...(cert === undefined || key === undefined ? {} : { certificate: { cert, key } }),
    },
    ...(Number.isNaN(expiresMs) ? {} : { expiresMs }),
  };
}

function parsed(text: string): Mapping {
  try {
    const value: unknown = JSON.parse(text);
    if (isMapping(value)) return value;
  } catch {
    // Reported below without the output of the plugin, which may contain a secret.
  }
  throw new Error("exec plugin: the answer is not JSON");
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
