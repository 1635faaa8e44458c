/** What the composition root starts and stops. */
import type { Client } from "../../api/client.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";

export interface ControllerContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
}

export interface RunningController {
  stop(): void;
}

export interface Controller {
  /** As `--controllers` names it. */
  readonly name: string;
  start(context: ControllerContext): Promise<RunningController>;
}
