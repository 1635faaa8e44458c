/**
 * What the composition root starts and stops, and the machinery all controllers share. None of it
 * knows a kind, the server or the store: everything goes through the Client.
 *
 * Reading order: controller, outcome, keyed-worker (keys in, reconciles out), then recorder with
 * event-correlation for the events a controller leaves behind.
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
  /** All features are on where it is absent. */
  readonly gates?: FeatureGates;
}

export interface RunningController {
  stop(): void;
}

export interface Controller {
  /** As `--controllers` names it. */
  readonly name: string;
  start(context: ControllerContext): Promise<RunningController>;
}
