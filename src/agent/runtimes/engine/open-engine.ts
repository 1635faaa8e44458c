/** The parts of an engine's runtime, put together. */
import { createHash } from "node:crypto";
import type { Cidr } from "../../../base/address.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import { Containers } from "./containers.ts";
import { EngineApi } from "./engine-api.ts";
import { EngineRuntime } from "./engine-runtime.ts";
import type { FoundEngine } from "./find-engine.ts";
import { Images } from "./images.ts";
import { PodHolders } from "./pod-holders.ts";

export interface OpenEngineOptions {
  readonly engine: FoundEngine;
  /** Of its own: two servers on one engine tell their containers apart by it. */
  readonly directory: string;
  /** The addresses of its pods. */
  readonly range: Cidr;
  readonly clock: Clock;
  readonly log: Log;
}

export function openEngineRuntime(options: OpenEngineOptions): EngineRuntime {
  const { engine, directory, range, clock, log } = options;
  const api = new EngineApi(engine.socketPath, engine.apiVersion);
  const owner = createHash("sha256").update(directory).digest("hex").slice(0, 12);
  const containers = new Containers(api, owner);
  return new EngineRuntime({
    name: engine.name,
    api,
    containers,
    holders: new PodHolders({ api, containers, owner, range }),
    images: new Images(api, clock),
    owner,
    clock,
    log,
  });
}
