/** Removes the object of a pod that has nothing left to wait for. */
import type { Client } from "../api/client.ts";
import { ApiError } from "../api/errors.ts";
import type { Pod } from "../api/generated/core.ts";
import { pods } from "../api/resources.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";

export interface Removing {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly wake: (uid: string) => void;
}

const RETRY_MS = 1_000;

export function removePod({ client, clock, log, wake }: Removing, { metadata }: Pod): void {
  const { namespace = "", name = "", uid = "" } = metadata;
  client
    .delete(pods, { namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid } })
    .catch((error) => {
      const isGone = error instanceof ApiError && ["NotFound", "Conflict"].includes(error.reason);
      if (isGone) return;
      log.warn("a pod could not be removed", { name, error });
      clock.schedule(RETRY_MS, () => wake(uid));
    });
}
