/** The container engines of this machine, opened where there are some; else nothing is loaded. */
import { existsSync } from "node:fs";
import type { Cidr } from "../../../base/address.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { Runtime } from "../runtime.ts";
import type { EngineName } from "./engine-run.ts";
import { type EngineSurroundings, socketPaths } from "./socket-paths.ts";

export interface EnginesOptions {
  readonly directory: string;
  readonly range: Cidr;
  /** Whether pods run there that say nothing else. */
  readonly isWanted: boolean;
  /** Whether an earlier server may have left containers: without an answer these would be lost. */
  readonly hasLeft: () => Promise<boolean>;
  readonly clock: Clock;
  readonly log: Log;
}

/** By name, the one for pods that name none first. */
export type Engines = ReadonlyMap<EngineName, Runtime>;

/** Without it nothing runs: a busy machine may take its time. */
const WANTED_ANSWER_MS = 30_000;

const HOW = 'start dockerd or "podman system service --time=0", or set DOCKER_HOST';

export async function openEngines(
  options: EnginesOptions,
  around: EngineSurroundings,
): Promise<Engines> {
  const paths = socketPaths(around);
  const sockets = paths.filter((socket) => existsSync(socket));
  const { isWanted, log } = options;
  if (sockets.length === 0) {
    if (isWanted)
      log.warn("there is no container engine: pods that need one are refused", { paths, how: HOW });
    return new Map();
  }
  const [{ findEngines }, { openEngineRuntime }] = await Promise.all([
    import("./find-engine.ts"),
    import("./open-engine.ts"),
  ]);
  const isAwaited = isWanted || (await options.hasLeft());
  const { found, problems } = await findEngines(sockets, ...(isAwaited ? [WANTED_ANSWER_MS] : []));
  for (const problem of problems) log.warn("a container engine does not answer", { problem });
  return new Map(
    found.map((engine) => {
      const { name, version, socketPath } = engine;
      log.info("containers by an engine", { name, version, socket: socketPath });
      return [name, openEngineRuntime({ ...options, engine })];
    }),
  );
}
