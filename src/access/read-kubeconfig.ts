/** Finds the kubeconfig to use, and reads the files that it refers to. */
import { readFile } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import type { CredentialSource } from "../base/credentials.ts";
import {
  type ChosenAccess,
  chooseAccess,
  type KubeconfigText,
  type Material,
} from "./parse-kubeconfig.ts";
import { readIfPresent } from "./private-file.ts";
import { proxyFor } from "./proxy-environment.ts";

export interface ClientAccess {
  readonly url: string;
  /** The namespace of the context; empty if it has none. */
  readonly namespace: string;
  readonly ca?: string;
  readonly serverName?: string;
  readonly skipsVerification: boolean;
  readonly token?: string;
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** Used instead of a token and a certificate if these change over time. */
  readonly credentials?: CredentialSource;
  readonly proxyUrl?: string;
  /** Additional headers for each request: impersonation or basic authentication. */
  readonly headers?: { readonly [name: string]: string | readonly string[] };
}

export interface KubeconfigPlaces {
  /** Given by a flag: the file must exist. */
  readonly given?: string;
  /** $KUBECONFIG: a list of files that are merged. */
  readonly environment?: string;
  /** The data directory of the server on this machine. */
  readonly dataDirectory: string;
  readonly home: string;
  readonly workingDirectory: string;
  readonly context?: string;
}

/** Undefined if there is no kubeconfig at all. */
export async function readKubeconfig(places: KubeconfigPlaces): Promise<ClientAccess | undefined> {
  const texts = await firstPresent(places);
  if (texts.length === 0) return undefined;
  return withMaterial(chooseAccess(texts, places.context));
}

/** The files of the first place that has any. */
async function firstPresent(places: KubeconfigPlaces): Promise<readonly KubeconfigText[]> {
  const { given, environment = "", dataDirectory, home, workingDirectory } = places;
  if (given !== undefined) {
    const file = resolve(workingDirectory, given);
    const text = await readIfPresent(file);
    if (text === undefined) throw new Error(`the kubeconfig ${file} does not exist`);
    return [{ directory: dirname(file), text }];
  }
  const listed = environment.split(delimiter).filter((file) => file !== "");
  const candidates = [listed, [join(dataDirectory, "kubeconfig")], [join(home, ".kube", "config")]];
  for (const files of candidates) {
    const present = await readAll(files.map((file) => resolve(workingDirectory, file)));
    if (present.length > 0) return present;
  }
  return [];
}

async function readAll(files: readonly string[]): Promise<readonly KubeconfigText[]> {
  const texts = await Promise.all(files.map(readIfPresent));
  return files.flatMap((file, at) => {
    const text = texts[at];
    return text === undefined ? [] : [{ directory: dirname(file), text }];
  });
}

async function withMaterial(chosen: ChosenAccess): Promise<ClientAccess> {
  const { token: held } = chosen;
  const kept = held && "file" in held ? held.file : undefined;
  const [ca, token, cert, key] = await Promise.all(
    [chosen.ca, kept === undefined ? held : undefined, chosen.cert, chosen.key].map(readMaterial),
  );
  const { url, namespace, serverName, skipsVerification } = chosen;
  const proxyUrl = chosen.proxyUrl ?? proxyFor(url, process.env);
  const certificate = cert === undefined || key === undefined ? undefined : { cert, key };
  const credentials = await sourceOf(chosen, kept, token);
  const headers = headersOf(chosen);
  return {
    url,
    namespace,
    skipsVerification,
    ...(serverName === undefined ? {} : { serverName }),
    ...(ca === undefined ? {} : { ca }),
    ...(token === undefined ? {} : { token: token.trim() }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(credentials === undefined ? {} : { credentials }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
  };
}

/** An exec plugin is used only if there is no token. */
async function sourceOf(
  { exec }: ChosenAccess,
  file: string | undefined,
  token: string | undefined,
): Promise<CredentialSource | undefined> {
  if (file !== undefined) {
    const { tokenFile } = await import("./token-file.ts");
    return tokenFile(file);
  }
  if (!exec || token !== undefined) return undefined;
  const { execCredentials } = await import("./exec-credentials.ts");
  const isInteractive = process.stdin.isTTY === true;
  return execCredentials(exec, { environment: process.env, isInteractive });
}

function headersOf({ login, impersonation }: ChosenAccess): ClientAccess["headers"] & object {
  const pair = login && Buffer.from(`${login.name}:${login.password}`).toString("base64");
  if (!impersonation) return pair === undefined ? {} : { Authorization: `Basic ${pair}` };
  const { user, uid, groups, extra } = impersonation;
  const named = Object.entries(extra).map(
    ([key, values]) => [`Impersonate-Extra-${encodeURIComponent(key)}`, values] as const,
  );
  return {
    ...(pair === undefined ? {} : { Authorization: `Basic ${pair}` }),
    "Impersonate-User": user,
    ...(uid === undefined ? {} : { "Impersonate-Uid": uid }),
    ...(groups.length === 0 ? {} : { "Impersonate-Group": groups }),
    ...Object.fromEntries(named),
  };
}

async function readMaterial(material: Material | undefined): Promise<string | undefined> {
  if (material === undefined) return undefined;
  return "text" in material ? material.text : readFile(material.file, "utf8");
}
