/** Pure: which runtime a pod gets: the one it names, or the first that can honour it. */
import type { Pod } from "../../../api/generated/core.ts";
import { isAllowedRuntime } from "../../../api/shared-runtimes.ts";
import { admitToEngine, engineMissing } from "../engine/engine-refusals.ts";
import { ENGINES, type EngineName } from "../engine/engine-run.ts";
import { type Admission, admitPod, NAMES_NOT_RESOLVED } from "../process/refusals.ts";
import type { RuntimeName } from "../runtime.ts";
import { admitToSandbox, type SandboxMeasures } from "./sandbox-refusals.ts";

/** "auto": a process of the host, unless the pod needs more than that. */
export type DefaultRuntime = RuntimeName | "auto" | "engine";

/** What this machine can do for pods. */
export interface RuntimeMeasures extends SandboxMeasures {
  /** Those that answer. */
  readonly engines: readonly EngineName[];
}

export interface ChosenRuntime extends Admission {
  readonly runtime: RuntimeName;
}

const NAMES: readonly string[] = ["process", "sandbox", ...ENGINES] satisfies RuntimeName[];

export interface RuntimeChoice {
  readonly fallback: DefaultRuntime;
  /** Of a shared server; undefined: all runtimes. */
  readonly allowed: readonly string[] | undefined;
  readonly measures: RuntimeMeasures;
}

/**
 * On a shared server only a pod that asks for it is a process of the host: the server has judged
 * what the pod asks for, and does not know the default of a node elsewhere.
 */
export function chooseAllowedRuntime(
  pod: Pod,
  { fallback, allowed, measures }: RuntimeChoice,
): ChosenRuntime {
  if (allowed === undefined) return chooseRuntime(pod, fallback, measures);
  const isHost = fallback === "auto" || fallback === "process";
  const chosen = chooseRuntime(pod, isHost ? "sandbox" : fallback, measures);
  if (isAllowedRuntime(chosen.runtime, allowed)) return chosen;
  const names = allowed.join(", ");
  const message = `the runtime ${chosen.runtime} is not allowed (allowed by the server: ${names})`;
  return { ...chosen, refusal: { reason: "RuntimeNotAllowed", message } };
}

export function chooseRuntime(
  pod: Pod,
  fallback: DefaultRuntime,
  measures: RuntimeMeasures,
): ChosenRuntime {
  const { runtimeClassName } = pod.spec;
  const wanted = runtimeClassName ?? fallback;
  if (wanted === "process") return { runtime: "process", ...admitPod(pod, measures) };
  if (wanted === "sandbox") return { runtime: "sandbox", ...admitToSandbox(pod, measures) };
  const engine = wanted === "engine" ? (measures.engines[0] ?? "docker") : findEngine(wanted);
  if (engine !== undefined) return inEngine(pod, engine, measures);
  if (runtimeClassName !== undefined) return unknownClass(runtimeClassName);
  const asProcess = admitPod(pod, measures);
  // A set's pods can do without the names that it gives them, where nobody can resolve these.
  const lacksNames = asProcess.warnings.some(({ reason }) => reason === NAMES_NOT_RESOLVED);
  if (asProcess.refusal === undefined && !lacksNames) return { runtime: "process", ...asProcess };
  const inSandbox = admitToSandbox(pod, measures);
  if (inSandbox.refusal === undefined) return { runtime: "sandbox", ...inSandbox };
  if (asProcess.refusal === undefined) return { runtime: "process", ...asProcess };
  const message = `${asProcess.refusal.message}; ${inSandbox.refusal.message}`;
  const refusal = { ...asProcess.refusal, message };
  return { runtime: "process", refusal, warnings: asProcess.warnings };
}

function findEngine(name: string): EngineName | undefined {
  return ENGINES.find((each) => each === name);
}

function inEngine(pod: Pod, engine: EngineName, { engines }: RuntimeMeasures): ChosenRuntime {
  const isThere = engines.includes(engine);
  const admission = isThere ? admitToEngine(pod, engine) : engineMissing(engine);
  return { runtime: engine, ...admission };
}

function unknownClass(name: string): ChosenRuntime {
  const message = `runtimeClassName ${JSON.stringify(name)}: this node has ${NAMES.join(" and ")}`;
  return {
    runtime: "process",
    refusal: { reason: "NotSupportedByRuntime", message },
    warnings: [],
  };
}
