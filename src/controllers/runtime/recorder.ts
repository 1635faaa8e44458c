/** Leaves events about objects. */
import type { Client } from "../../api/client.ts";
import type { Event } from "../../api/generated/core.ts";
import type { KubeObject } from "../../api/object.ts";
import { events } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Random } from "../../base/random.ts";

export interface EventRecorder {
  /** Never fails and never waits. */
  event(about: KubeObject, type: "Normal" | "Warning", reason: string, message: string): void;
  /** Everything recorded so far is written, or given up. */
  idle(): Promise<void>;
}

export interface RecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** As source.component names it: "job-controller". */
  readonly component: string;
}

export function openRecorder(options: RecorderOptions): EventRecorder {
  const { client, clock, random, log, component } = options;
  let last: Promise<unknown> = Promise.resolve();
  return {
    event: (about, type, reason, message) => {
      const { name = "", namespace = "default", uid = "", resourceVersion = "" } = about.metadata;
      const time = formatTime(clock.nowMs());
      const hex = `${(clock.nowMs() * 1e6).toString(16)}${random.below(1e6).toString(16)}`;
      const event: Event = {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name: `${name}.${hex}`, namespace },
        involvedObject: {
          kind: about.kind,
          namespace,
          name,
          uid,
          apiVersion: about.apiVersion,
          resourceVersion,
        },
        reason,
        message,
        source: { component },
        firstTimestamp: time,
        lastTimestamp: time,
        count: 1,
        type,
        reportingComponent: component,
        reportingInstance: "",
      };
      last = last.then(() =>
        client.create(events, event).catch((error: unknown) => log.warn("event lost", { error })),
      );
    },
    idle: async () => {
      await last;
    },
  };
}
