/**
 * The interface between the composition root and the controllers, and the machinery that all
 * controllers share. Nothing in this folder knows a specific kind, the server or the store: all
 * access goes through the Client.
 *
 * Reading order: controller, outcome, keyed-worker (queues keys and runs their reconciles), then
 * recorder with event-correlation, which write the events of a controller.
 */
import type { Client } from "../../api/client.ts";
import type { FeatureGates } from "../../api/feature-gates.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Metrics } from "../../base/metrics.ts";
import type { Random } from "../../base/random.ts";

export interface ControllerContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** If absent, all features are enabled. */
  readonly gates?: FeatureGates;
}

export interface RunningController {
  stop(): void;
}

export interface Controller {
  /** The name used in `--controllers`. */
  readonly name: string;
  start(context: ControllerContext): Promise<RunningController>;
}
