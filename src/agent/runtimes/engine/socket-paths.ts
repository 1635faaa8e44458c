/** Pure: where container engines are found: by the variables their own tools go by, or by habit. */
export interface EngineSurroundings {
  readonly environment: { readonly [name: string]: string | undefined };
  readonly uid: number;
}

/** In the order in which they are tried. */
export function socketPaths({ environment, uid }: EngineSurroundings): readonly string[] {
  const runtime = environment["XDG_RUNTIME_DIR"] ?? `/run/user/${uid}`;
  const asked = [environment["CONTAINER_HOST"], environment["DOCKER_HOST"]].flatMap((host) =>
    host?.startsWith("unix://") ? [host.slice("unix://".length)] : [],
  );
  if (asked.length > 0) return [...new Set(asked)];
  return [
    "/var/run/docker.sock",
    `${runtime}/docker.sock`,
    `${runtime}/podman/podman.sock`,
    "/run/podman/podman.sock",
  ];
}
