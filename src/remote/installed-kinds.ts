/**
 * The controllers of Tally's own kinds. A cluster may not have these kinds: each controller is
 * started when its kind is installed, which may be later.
 */
import type { Client, ResourceType } from "../api/client.ts";
import { scheduledJobs, workflows } from "../api/resources.ts";
import type { Clock, Timer } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { isNotFound } from "../client/find.ts";
import type { Controller, RunningController } from "../controllers/runtime/controller.ts";
import { scheduledJobController } from "../controllers/scheduledjob/scheduledjob-controller.ts";
import { workflowController } from "../controllers/workflow/workflow-controller.ts";

interface Installable {
  readonly type: ResourceType;
  readonly controller: Controller;
}

const INSTALLABLE: readonly Installable[] = [
  { type: scheduledJobs, controller: scheduledJobController },
  { type: workflows, controller: workflowController },
];

const LOOK_AGAIN_MS = 60_000;

export interface InstalledOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly start: (controller: Controller) => Promise<RunningController>;
}

export function startInstalled({ client, clock, log, start }: InstalledOptions): RunningController {
  const running: RunningController[] = [];
  let waiting: readonly Installable[] = INSTALLABLE;
  let timer: Timer | undefined;
  let isStopped = false;
  const look = async (): Promise<void> => {
    for (const each of waiting) {
      if (!(await isInstalled(client, each.type))) continue;
      if (isStopped) return;
      const controller = await start(each.controller);
      waiting = waiting.filter((other) => other !== each);
      running.push(controller);
      log.info("controller started", { name: each.controller.name });
      if (isStopped) controller.stop();
    }
  };
  const lookAgain = (): void => {
    look()
      .catch((error: unknown) => log.debug("cannot check for installed kinds", { error }))
      .finally(() => {
        if (!isStopped && waiting.length > 0) timer = clock.schedule(LOOK_AGAIN_MS, lookAgain);
      });
  };
  lookAgain();
  return {
    stop: () => {
      isStopped = true;
      timer?.cancel();
      for (const controller of running) controller.stop();
    },
  };
}

async function isInstalled(client: Client, type: ResourceType): Promise<boolean> {
  try {
    await client.list(type, { limit: 1 });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
