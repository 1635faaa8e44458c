/** Pure: which server a kubeconfig means, and as whom it is asked. */
import { parse } from "yaml";

/** Where a text was read: relative paths in it start there. */
export interface KubeconfigText {
  readonly directory: string;
  readonly text: string;
}

/** Either the thing itself or the file that holds it. */
export type Material = { readonly text: string } | { readonly file: string };

export interface ChosenAccess {
  readonly url: string;
  /** Of the context; empty where it names none. */
  readonly namespace: string;
  readonly ca?: Material;
  readonly serverName?: string;
  readonly skipsVerification: boolean;
  readonly token?: Material;
  readonly cert?: Material;
  readonly key?: Material;
}

/**
 * Of several files, the first that names an entry counts, as for kubectl. Throws what is wrong:
 * a text that is no kubeconfig, a context that is not there, a way to log in that is not known.
 */
export function chooseAccess(
  texts: readonly KubeconfigText[],
  wantedContext: string | undefined,
): ChosenAccess {
  const configs = texts.map(parseOne);
  const current = configs.map((config) => textOf(config.root["current-context"])).find(Boolean);
  const name = wantedContext ?? current ?? "";
  if (name === "") throw new Error("the kubeconfig names no current context (use --context)");
  const context = find(configs, "contexts", "context", name);
  if (context === undefined) throw new Error(`context "${name}" does not exist`);
  const clusterName = textOf(context.entry["cluster"]) ?? "";
  const cluster = find(configs, "clusters", "cluster", clusterName);
  const url = textOf(cluster?.entry["server"]);
  if (cluster === undefined || url === undefined) {
    throw new Error(`cluster "${clusterName}" of context "${name}" does not say where it is`);
  }
  const user = find(configs, "users", "user", textOf(context.entry["user"]) ?? "");
  return {
    url,
    namespace: textOf(context.entry["namespace"]) ?? "",
    skipsVerification: cluster.entry["insecure-skip-tls-verify"] === true,
    ...optional("serverName", textOf(cluster.entry["tls-server-name"])),
    ...optional("ca", material(cluster, "certificate-authority")),
    ...(user ? identityOf(user) : {}),
  };
}

interface Config {
  readonly directory: string;
  readonly root: Mapping;
}

interface Mapping {
  readonly [key: string]: unknown;
}

interface Found {
  readonly directory: string;
  readonly entry: Mapping;
}

function parseOne({ directory, text }: KubeconfigText): Config {
  const root: unknown = parse(text) ?? {};
  if (!isMapping(root)) throw new Error("the kubeconfig is not a mapping");
  return { directory, root };
}

function find(
  configs: readonly Config[],
  list: string,
  key: string,
  name: string,
): Found | undefined {
  for (const { directory, root } of configs) {
    const items: unknown = root[list];
    const item = (Array.isArray(items) ? items : []).find(
      (each): each is Mapping => isMapping(each) && each["name"] === name,
    );
    if (item) return { directory, entry: isMapping(item[key]) ? item[key] : {} };
  }
  return undefined;
}

function identityOf(user: Found): Pick<ChosenAccess, "token" | "cert" | "key"> {
  const unknown = UNKNOWN_LOGINS.find((login) => user.entry[login] !== undefined);
  if (unknown) {
    throw new Error(`the user logs in by "${unknown}", which is not known (use a token)`);
  }
  const token = textOf(user.entry["token"]);
  const tokenFile = textOf(user.entry["tokenFile"]);
  return {
    ...optional("token", token ? { text: token } : fileMaterial(user, tokenFile)),
    ...optional("cert", material(user, "client-certificate")),
    ...optional("key", material(user, "client-key")),
  };
}

const UNKNOWN_LOGINS = ["exec", "auth-provider", "username"];

/** "x-data" holds it in base64 and wins over "x", which names a file. */
function material(found: Found, key: string): Material | undefined {
  const data = textOf(found.entry[`${key}-data`]);
  if (data) return { text: Buffer.from(data, "base64").toString("utf8") };
  return fileMaterial(found, textOf(found.entry[key]));
}

function fileMaterial({ directory }: Found, file: string | undefined): Material | undefined {
  if (!file) return undefined;
  return { file: file.startsWith("/") ? file : `${directory}/${file}` };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function optional<Key extends string, T>(key: Key, value: T | undefined): { [K in Key]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: T };
}
