/** Pure: parses a URL path. Kubernetes' paths are regular enough to need no router. */

export type Route =
  | { readonly kind: "resource"; readonly resource: ResourceRoute }
  | { readonly kind: "other"; readonly path: string };

export interface ResourceRoute {
  /** "" for the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Absent if the path contains no namespace. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  /** The deprecated /watch/ prefix. */
  readonly watch: boolean;
}

/** Undefined if a percent escape is malformed. */
export function parseRoute(path: string): Route | undefined {
  const parts = decodeSegments(path);
  if (!parts) return undefined;
  const resource = parseResource(parts);
  return resource ? { kind: "resource", resource } : { kind: "other", path };
}

/** An escaped slash counts as a slash; trailing slashes are ignored. */
function decodeSegments(path: string): string[] | undefined {
  try {
    const decoded = path.includes("%") ? decodeURIComponent(path) : path;
    return decoded.replace(/\/+$/, "").slice(1).split("/");
  } catch {
    return undefined;
  }
}

function parseResource(parts: readonly string[]): ResourceRoute | undefined {
  const core = parts[0] === "api";
  if (!core && parts[0] !== "apis") return undefined;
  const rest = parts.slice(core ? 2 : 3);
  if (rest.length === 0 || parts.some((part) => part === "")) return undefined;
  const group = core ? "" : (parts[1] ?? "");
  const version = parts[core ? 1 : 2] ?? "";
  const watch = rest[0] === "watch" && rest.length > 1;
  const tail = watch ? rest.slice(1) : rest;
  return { group, version, watch, ...parseTail(tail) };
}

function parseTail(
  tail: readonly string[],
): Pick<ResourceRoute, "resource" | "namespace" | "name" | "subresource"> {
  const namespaced = tail[0] === "namespaces" && tail.length > 2 && !isNamespacePart(tail[2]);
  const [resource = "", name, ...subresource] = namespaced ? tail.slice(2) : tail;
  return {
    resource,
    ...(namespaced ? { namespace: tail[1] ?? "" } : {}),
    ...(name === undefined ? {} : { name }),
    ...(subresource.length > 0 ? { subresource: subresource.join("/") } : {}),
  };
}

/** /namespaces/x/status is the status of the namespace, not a resource "status" in it. */
function isNamespacePart(part: string | undefined): boolean {
  return part === "status" || part === "finalize";
}
