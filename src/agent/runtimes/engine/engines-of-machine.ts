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
  readonly clock: Clock;
  readonly log: Log;
}

/** By name, the one for pods that name none first. */
export type Engines = ReadonlyMap<EngineName, Runtime>;

export async function openEngines(
  options: EnginesOptions,
  around: EngineSurroundings,
): Promise<Engines> {
  const sockets = socketPaths(around).filter((socket) => existsSync(socket));
  if (sockets.length === 0) return new Map();
  const [{ findEngines }, { openEngineRuntime }] = await Promise.all([
    import("./find-engine.ts"),
    import("./open-engine.ts"),
  ]);
  const { found, problems } = await findEngines(sockets);
  const { log } = options;
  for (const problem of problems) log.warn("a container engine does not answer", { problem });
  return new Map(
    found.map((engine) => {
      const { name, version, socketPath } = engine;
      log.info("containers by an engine", { name, version, socket: socketPath });
      return [name, openEngineRuntime({ ...options, engine })];
    }),
  );
}
