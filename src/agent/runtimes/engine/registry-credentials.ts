/** Pure: which credentials of a pod's imagePullSecrets are for an image. */
import type { Secret } from "../../../api/generated/core.ts";
import type { ImageReference } from "./image-reference.ts";

export interface RegistryCredentials {
  readonly username: string;
  readonly password: string;
  readonly serveraddress: string;
}

interface StoredAuth {
  readonly username?: unknown;
  readonly password?: unknown;
  readonly auth?: unknown;
}

/** In the order in which they are tried: the narrowest name first. */
export function credentialsFor(
  image: ImageReference,
  secrets: readonly Secret[],
): readonly RegistryCredentials[] {
  const found: { readonly length: number; readonly credentials: RegistryCredentials }[] = [];
  for (const [name, stored] of secrets.flatMap(authsOf)) {
    const place = placeOf(name);
    if (!isFor(place, image)) continue;
    const login = loginOf(stored);
    if (!login) continue;
    const credentials = { ...login, serveraddress: image.registry };
    found.push({ length: place.host.length + place.path.length, credentials });
  }
  return found.sort((a, b) => b.length - a.length).map(({ credentials }) => credentials);
}

/** As engines read it from a header: in the alphabet of URLs, filled up to groups of four. */
export function encodeForHeader(credentials: RegistryCredentials): string {
  const encoded = Buffer.from(JSON.stringify(credentials)).toString("base64");
  return encoded.replaceAll("+", "-").replaceAll("/", "_");
}

function authsOf({ type, data = {} }: Secret): [string, StoredAuth][] {
  if (type === "kubernetes.io/dockerconfigjson") {
    const config = decode(data[".dockerconfigjson"]) as { auths?: object } | undefined;
    return Object.entries(config?.auths ?? {});
  }
  if (type !== "kubernetes.io/dockercfg") return [];
  return Object.entries((decode(data[".dockercfg"]) as object | undefined) ?? {});
}

function decode(value: string | undefined): unknown {
  try {
    const read: unknown = JSON.parse(Buffer.from(value ?? "", "base64").toString("utf8"));
    return typeof read === "object" && read !== null ? read : undefined;
  } catch {
    return undefined;
  }
}

interface Place {
  readonly host: string;
  readonly path: string;
}

/** "https://index.docker.io/v1/", "registry.example:5000/team", "*.example.com" */
function placeOf(name: string): Place {
  const bare = name.replace(/^https?:\/\//, "").replace(/\/v[12]\/?$/, "");
  const slash = bare.indexOf("/");
  const host = slash < 0 ? bare : bare.slice(0, slash);
  const path = slash < 0 ? "" : bare.slice(slash + 1).replace(/\/$/, "");
  return { host: host === "index.docker.io" ? "docker.io" : host, path };
}

function isFor({ host, path }: Place, { registry, repository }: ImageReference): boolean {
  const [ours, theirs] = [host.split("."), registry.split(".")];
  if (ours.length !== theirs.length) return false;
  // A star stands for one part of a name, never for a dot.
  if (!ours.every((part, at) => matches(part, theirs[at] ?? ""))) return false;
  return path === "" || repository === path || repository.startsWith(`${path}/`);
}

function matches(pattern: string, part: string): boolean {
  if (!pattern.includes("*")) return pattern === part;
  const pieces = pattern.split("*");
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    const found = index === 0 ? (part.startsWith(piece) ? 0 : -1) : part.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return pieces[pieces.length - 1] === "" || part.endsWith(pieces[pieces.length - 1] ?? "");
}

function loginOf({ username, password, auth }: StoredAuth) {
  if (typeof username === "string" && typeof password === "string" && username !== "") {
    return { username, password };
  }
  if (typeof auth !== "string") return undefined;
  const text = Buffer.from(auth, "base64").toString("utf8");
  const colon = text.indexOf(":");
  if (colon < 0) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
