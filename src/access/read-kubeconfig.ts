/** Finds the kubeconfig a client is to use, and reads what it names. */
import { readFile } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import {
  type ChosenAccess,
  chooseAccess,
  type KubeconfigText,
  type Material,
} from "./parse-kubeconfig.ts";
import { readIfPresent } from "./private-file.ts";

export interface ClientAccess {
  readonly url: string;
  /** Of the context; empty where it names none. */
  readonly namespace: string;
  readonly ca?: string;
  readonly serverName?: string;
  readonly skipsVerification: boolean;
  readonly token?: string;
  readonly certificate?: { readonly cert: string; readonly key: string };
}

export interface KubeconfigPlaces {
  /** Named by a flag: it must be there. */
  readonly given?: string;
  /** $KUBECONFIG: a list of files that count together. */
  readonly environment?: string;
  /** Of a server on this machine. */
  readonly dataDirectory: string;
  readonly home: string;
  readonly workingDirectory: string;
  readonly context?: string;
}

/** Undefined where there is no kubeconfig at all. */
export async function readKubeconfig(places: KubeconfigPlaces): Promise<ClientAccess | undefined> {
  const texts = await firstPresent(places);
  if (texts.length === 0) return undefined;
  return withMaterial(chooseAccess(texts, places.context));
}

/** The first of the places that holds anything. */
async function firstPresent(places: KubeconfigPlaces): Promise<readonly KubeconfigText[]> {
  const { given, environment = "", dataDirectory, home, workingDirectory } = places;
  if (given !== undefined) {
    const file = resolve(workingDirectory, given);
    const text = await readIfPresent(file);
    if (text === undefined) throw new Error(`there is no ${file}`);
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
  const [ca, token, cert, key] = await Promise.all(
    [chosen.ca, chosen.token, chosen.cert, chosen.key].map(readMaterial),
  );
  const { url, namespace, serverName, skipsVerification } = chosen;
  return {
    url,
    namespace,
    skipsVerification,
    ...(serverName === undefined ? {} : { serverName }),
    ...(ca === undefined ? {} : { ca }),
    ...(token === undefined ? {} : { token: token.trim() }),
    ...(cert === undefined || key === undefined ? {} : { certificate: { cert, key } }),
  };
}

async function readMaterial(material: Material | undefined): Promise<string | undefined> {
  if (material === undefined) return undefined;
  return "text" in material ? material.text : readFile(material.file, "utf8");
}
