/** What an agent is made of. */
import type { Client } from "../api/client.ts";
import type { Pod } from "../api/generated/core.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { Random } from "../base/random.ts";
import type { Judgement } from "./admit.ts";
import type { Surroundings } from "./compose-run.ts";
import type { Variable } from "./environment/variable.ts";
import type { LogStore } from "./logs/log-store.ts";
import type { PodRuntimes } from "./pod-runtimes.ts";
import type { LastWords } from "./runs.ts";
import type { Runtime } from "./runtimes/runtime.ts";
import type { VolumeMeasures } from "./volumes/pod-volumes.ts";

export interface AgentOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly runtime: Runtime;
  readonly node: Surroundings["node"];
  /** Absent: pods have the address of the node, and no sandbox. */
  readonly places?: Pick<
    PodRuntimes,
    | "adopt"
    | "nameOf"
    | "take"
    | "prepare"
    | "sandboxOf"
    | "engineOf"
    | "isContainer"
    | "release"
    | "sweep"
    | "close"
  >;
  /** It starts nothing and tells nothing before it stops: then it ends the pods that run. */
  readonly onlyEnds?: boolean;
  /** What processes have of the agent's own environment, unless they belong to a run. */
  readonly inherited: readonly Variable[];
  readonly logs: Pick<LogStore, "begin" | "end" | "onNews">;
  /** What becomes of a run that prints more than it may: it goes on unheard, or is failed. */
  readonly onLogLimit: "cut" | "fail";
  readonly lastWords: LastWords;
  /** Where probes leave what they print. */
  readonly probes?: { readonly directory: string };
  /** Where pods reach the server, if not by the address of its Service. */
  readonly apiServer?: Surroundings["apiServer"];
  /** Absent: pods have no volumes, and no tokens. */
  readonly volumes?: VolumeMeasures;
  /** What the runtime can honour of a pod. */
  readonly judge: (pod: Pod) => Judgement;
}
