/** Pure: the names of images, as Docker and Kubernetes read them. */

export interface ImageReference {
  /** "docker.io" */
  readonly registry: string;
  /** "library/busybox" */
  readonly repository: string;
  readonly tag?: string;
  /** "sha256:…" */
  readonly digest?: string;
}

const DEFAULT_REGISTRY = "docker.io";
const DEFAULT_TAG = "latest";

const COMPONENT = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const REPOSITORY = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const REGISTRY = /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(?::[0-9]+)?$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;

/** Undefined for what is no name of an image. */
export function parseImageReference(text: string): ImageReference | undefined {
  const [named = "", digest, ...more] = text.split("@");
  if (more.length > 0 || (digest !== undefined && !DIGEST.test(digest))) return undefined;
  const colon = named.lastIndexOf(":");
  const hasTag = colon > named.lastIndexOf("/");
  const name = hasTag ? named.slice(0, colon) : named;
  const tag = hasTag ? named.slice(colon + 1) : undefined;
  if (tag !== undefined && !TAG.test(tag)) return undefined;
  const { registry, path } = splitRegistry(name);
  const isOfficial = registry === DEFAULT_REGISTRY && !path.includes("/");
  const repository = isOfficial ? `library/${path}` : path;
  if (!REGISTRY.test(registry) || !REPOSITORY.test(repository)) return undefined;
  return {
    registry,
    repository,
    ...(tag === undefined ? (digest === undefined ? { tag: DEFAULT_TAG } : {}) : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** Only what looks like a host is one: with a dot or a port, or by the name localhost. */
function splitRegistry(name: string): { readonly registry: string; readonly path: string } {
  const slash = name.indexOf("/");
  const first = slash < 0 ? "" : name.slice(0, slash);
  const isHost = /[.:]/.test(first) || first === "localhost";
  if (!isHost) return { registry: DEFAULT_REGISTRY, path: name };
  const registry = first === "index.docker.io" ? DEFAULT_REGISTRY : first;
  return { registry, path: name.slice(slash + 1) };
}

/** Whole, so that nothing is left for an engine to guess. */
export function formatImageReference({
  registry,
  repository,
  tag,
  digest,
}: ImageReference): string {
  const named = `${registry}/${repository}`;
  if (digest !== undefined) return `${named}@${digest}`;
  return `${named}:${tag ?? DEFAULT_TAG}`;
}
