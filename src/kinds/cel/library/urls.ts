/**
 * Pure: functions for URLs, parsed like Go's url.ParseRequestURI: absolute, or an absolute path.
 */
import type { Library } from "../functions.ts";
import { CelError, Opaque } from "../value.ts";

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

const ABSOLUTE =
  /^([A-Za-z][A-Za-z0-9+.-]*):\/\/(?:[^/?#\s]*@)?([^/?#\s]*)([^?#\s]*)(?:\?([^#\s]*))?/;

function partsOf(text: string): Parts | undefined {
  if (/[\s\u0000-\u001f\u007f]/.test(text) || text === "") return undefined;
  if (text.startsWith("/")) {
    const [path = "", query = ""] = text.split(/\?(.*)/s);
    return { scheme: "", host: "", path, query };
  }
  const [, scheme, host = "", path = "", query = ""] = ABSOLUTE.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  if (!/^(\[[0-9a-fA-F:.%]+\]|[^:[\]]*)(:\d*)?$/.test(host)) return undefined;
  return { scheme: scheme.toLowerCase(), host, path, query };
}

const content = (value: unknown) => (value as Opaque).content as Parts;

function queryOf(query: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [key, value] of new URLSearchParams(query)) {
    found.set(key, [...(found.get(key) ?? []), value]);
  }
  return found;
}

export const urls: Library = {
  "url(string): URL": ([text]) => {
    const parts = partsOf(text as string);
    if (parts) return new Opaque("URL", parts, text as string);
    throw new CelError(
      `URL parse error during conversion from string: parse ${JSON.stringify(text)}`,
    );
  },
  "isURL(string): bool": ([text]) => partsOf(text as string) !== undefined,
  "URL.getScheme(): string": ([url]) => content(url).scheme,
  "URL.getHost(): string": ([url]) => content(url).host,
  "URL.getHostname(): string": ([url]) =>
    content(url)
      .host.replace(/:\d*$/, "")
      .replace(/^\[(.*)\]$/, "$1"),
  "URL.getPort(): string": ([url]) => /:(\d+)$/.exec(content(url).host)?.[1] ?? "",
  "URL.getEscapedPath(): string": ([url]) => encodeURI(decoded(content(url).path)),
  "URL.getQuery(): map<string, list<string>>": ([url]) =>
    queryOf(content(url).query) as Map<string, string[]>,
};

function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
