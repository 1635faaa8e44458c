/** Pure: the server and the credentials that a kubeconfig selects. */
import { parse } from "yaml";
import { type ExecPlugin, readExecPlugin } from "./exec-plugin.ts";

/** The text of a kubeconfig, and the directory that relative paths in it start from. */
export interface KubeconfigText {
  readonly directory: string;
  readonly text: string;
}

/** Either the content itself or the file that contains it. */
export type Material = { readonly text: string } | { readonly file: string };

export interface ChosenAccess {
  readonly url: string;
  /** The namespace of the context; empty if it has none. */
  readonly namespace: string;
  readonly ca?: Material;
  readonly serverName?: string;
  readonly skipsVerification: boolean;
  readonly token?: Material;
  readonly cert?: Material;
  readonly key?: Material;
  /** A plugin that provides the credentials. */
  readonly exec?: ExecPlugin;
  /** A name and a password, for servers that still support basic authentication. */
  readonly login?: { readonly name: string; readonly password: string };
  /** The user to impersonate. */
  readonly impersonation?: Impersonation;
  readonly proxyUrl?: string;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: { readonly [key: string]: readonly string[] };
}

/**
 * If several files contain an entry, the first one counts, as for kubectl. Throws if a text is not
 * a kubeconfig, if the context does not exist or if the authentication method is unsupported.
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
    throw new Error(`cluster "${clusterName}" of context "${name}" has no server`);
  }
  const user = find(configs, "users", "user", textOf(context.entry["user"]) ?? "");
  return {
    url,
    namespace: textOf(context.entry["namespace"]) ?? "",
    skipsVerification: cluster.entry["insecure-skip-tls-verify"] === true,
    ...optional("serverName", textOf(cluster.entry["tls-server-name"])),
    ...optional("ca", material(cluster, "certificate-authority")),
    ...optional("proxyUrl", proxyOf(cluster, clusterName)),
    ...(user ? identityOf(user, cluster) : {}),
  };
}

interface Config {
  readonly directory: string;
  readonly root: Mapping;
}

export interface Mapping {
  readonly [key: string]: unknown;
}

export interface Found {
  readonly directory: string;
  readonly entry: Mapping;
}

function parseOne({ directory, text }: KubeconfigText): Config {
  const root: unknown = parseText(text) ?? {};
  if (!isMapping(root)) throw new Error("the kubeconfig is not a mapping");
  return { directory, root };
}

/** The library throws its own errors and built-in ones: both get the same message. */
function parseText(text: string): unknown {
  try {
    return parse(text, { logLevel: "error" });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`the kubeconfig is not YAML: ${message}`, { cause: error });
  }
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

type Identity = Pick<ChosenAccess, "token" | "cert" | "key" | "exec" | "login" | "impersonation">;

/** tokenFile takes precedence over token, because the file is kept up to date. */
function identityOf(user: Found, cluster: Found): Identity {
  const provider = user.entry["auth-provider"];
  if (isMapping(provider)) {
    throw new Error(`no Auth Provider found for name "${textOf(provider["name"]) ?? ""}"`);
  }
  const token = textOf(user.entry["token"]);
  const file = fileMaterial(user, textOf(user.entry["tokenFile"]));
  const name = textOf(user.entry["username"]);
  const password = textOf(user.entry["password"]) ?? "";
  const exec = user.entry["exec"];
  return {
    ...optional("token", file ?? (token ? { text: token } : undefined)),
    ...optional("cert", material(user, "client-certificate")),
    ...optional("key", material(user, "client-key")),
    ...optional("login", name === undefined ? undefined : { name, password }),
    ...optional("exec", isMapping(exec) ? readExecPlugin(exec, user, cluster) : undefined),
    ...optional("impersonation", impersonationOf(user)),
  };
}

function impersonationOf({ entry }: Found): Impersonation | undefined {
  const user = textOf(entry["as"]);
  const uid = textOf(entry["as-uid"]);
  const groups = textsOf(entry["as-groups"]);
  const given = isMapping(entry["as-user-extra"]) ? entry["as-user-extra"] : {};
  const extra = Object.fromEntries(
    Object.entries(given).map(([key, values]) => [key, textsOf(values)]),
  );
  const isMore = uid !== undefined || groups.length > 0 || Object.keys(extra).length > 0;
  if (user === undefined && isMore) {
    throw new Error("requesting uid, groups or user-extra without impersonating a user");
  }
  return user === undefined ? undefined : { user, ...optional("uid", uid), groups, extra };
}

function proxyOf({ entry }: Found, name: string): string | undefined {
  const url = textOf(entry["proxy-url"]);
  if (url === undefined) return undefined;
  if (/^(https?|socks5h?):\/\//.test(url)) return url;
  throw new Error(`cluster "${name}": the proxy-url ${url} is not http://, https:// or socks5://`);
}

/** "x-data" contains the content in base64 and takes precedence over "x", which names a file. */
function material(found: Found, key: string): Material | undefined {
  const data = textOf(found.entry[`${key}-data`]);
  if (data) return { text: Buffer.from(data, "base64").toString("utf8") };
  return fileMaterial(found, textOf(found.entry[key]));
}

function fileMaterial({ directory }: Found, file: string | undefined): Material | undefined {
  if (!file) return undefined;
  return { file: file.startsWith("/") ? file : `${directory}/${file}` };
}

function textsOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : []).flatMap((each) => textOf(each) ?? []);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function optional<Key extends string, T>(key: Key, value: T | undefined): { [K in Key]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: T };
}
