/** The dependencies of one round of the scheduler. */

import type { Client } from "../../api/client.ts";
import type { FeatureGates } from "../../api/feature-gates.ts";
import type { Pod } from "../../api/generated/core.ts";
import type { PodDisruptionBudget } from "../../api/generated/policy.ts";
import type { Clock } from "../../base/clock.ts";
import type { Cache } from "../../client/cache.ts";
import type { SchedulerMemory } from "./memory.ts";
import type { Notices } from "./notices.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";
import type { StorageFacts } from "./storage.ts";

export interface Scheduling {
  readonly client: Client;
  readonly clock: Clock;
  readonly cache: Cache<Pod>;
  readonly budgets: Cache<PodDisruptionBudget>;
  readonly storage: StorageFacts;
  readonly memory: SchedulerMemory;
  readonly notices: Notices;
  readonly metrics: SchedulerMetrics;
  readonly gates: FeatureGates | undefined;
}
