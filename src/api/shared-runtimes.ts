/** Pure: which runtimes pods of a shared server may use, and how its nodes learn of them. */

/** "engine" stands for Docker and Podman. */
export const RUNTIMES = ["process", "sandbox", "engine", "docker", "podman"] as const;
export type NamedRuntime = (typeof RUNTIMES)[number];

/** Of every Node of a shared server, which sets it whatever anybody writes. */
export const ALLOWED_RUNTIMES = "tallyjob.io/allowed-runtimes";

const ENGINES: readonly string[] = ["docker", "podman"];

/** An engine that is allowed by its own name is also allowed as "engine", and the other way. */
export function isAllowedRuntime(name: string, allowed: readonly string[]): boolean {
  if (allowed.includes(name)) return true;
  if (ENGINES.includes(name)) return allowed.includes("engine");
  return name === "engine" && ENGINES.some((engine) => allowed.includes(engine));
}

interface Annotated {
  readonly metadata: { readonly annotations?: { readonly [key: string]: string } };
}

/** Undefined on the node of a server that is not shared: everything is allowed there. */
export function findAllowedRuntimes({ metadata }: Annotated): readonly string[] | undefined {
  return metadata.annotations?.[ALLOWED_RUNTIMES]?.split(",");
}

export function formatRuntimes(allowed: readonly string[]): string {
  return allowed.join(",");
}
