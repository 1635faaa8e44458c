/** Reports scheduling results: events, and the condition that says why a pod has no node. */
import type { Client } from "../../api/client.ts";
import type { Pod, PodCondition } from "../../api/generated/core.ts";
import { pods } from "../../api/resources.ts";
import { formatTime } from "../../api/time.ts";
import type { Clock } from "../../base/clock.ts";
import { isNotFound } from "../../client/find.ts";
import { type Bucket, fullBucket, type RateLimit, takeTurn } from "../../client/rate-limit.ts";
import type { EventRecorder } from "../runtime/recorder.ts";

/**
 * An event for every pod would double the writes of a large Job and contain nothing that the pod
 * does not show. Above this rate, only some pods get an event.
 */
const PLACED_LIMIT: RateLimit = { qps: 5, burst: 50 };

export class Notices {
  #bucket: Bucket;

  constructor(
    private readonly options: {
      readonly client: Client;
      readonly clock: Clock;
      readonly recorder: EventRecorder;
    },
  ) {
    this.#bucket = fullBucket(PLACED_LIMIT, options.clock.monotonicMs());
  }

  placed(pod: Pod, node: string): void {
    const { clock, recorder } = this.options;
    const turn = takeTurn(PLACED_LIMIT, this.#bucket, clock.monotonicMs());
    if (turn.delayMs > 0) return;
    this.#bucket = turn.bucket;
    const { namespace = "", name = "" } = pod.metadata;
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    recorder.event(pod, "Normal", "Scheduled", message);
  }

  preempted(victim: Pod, message: string): void {
    this.options.recorder.event(victim, "Normal", "Preempted", message);
  }

  /**
   * `nominatedNodeName` is set if pods on that node are preempted for it. Rejects if the write
   * fails.
   */
  async refused(pod: Pod, message: string, nominatedNodeName?: string): Promise<void> {
    const { client, clock, recorder } = this.options;
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    const old = pod.status.conditions?.find(({ type }) => type === "PodScheduled");
    const isTold = old?.status === "False" && old.reason === "Unschedulable";
    const isNominated =
      nominatedNodeName === undefined || pod.status.nominatedNodeName === nominatedNodeName;
    if (isTold && isNominated && old.message === message) return;
    const condition = refusal(pod, old, message, clock.nowMs());
    const nomination = nominatedNodeName === undefined ? {} : { nominatedNodeName };
    const body = { metadata: { uid }, status: { conditions: [condition], ...nomination } };
    try {
      await client.patch(
        pods,
        { namespace, name },
        { type: "strategic", subresource: "status", body },
      );
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    recorder.event(pod, "Warning", "FailedScheduling", message);
  }
}

function refusal(
  { metadata }: Pod,
  old: PodCondition | undefined,
  message: string,
  nowMs: number,
): PodCondition {
  const { generation } = metadata;
  const since = old?.status === "False" ? old.lastTransitionTime : formatTime(nowMs);
  return {
    type: "PodScheduled",
    status: "False",
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    lastProbeTime: null,
    lastTransitionTime: since ?? null,
    reason: "Unschedulable",
    message,
  };
}
