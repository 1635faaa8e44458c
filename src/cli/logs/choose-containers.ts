/** Pure: whose output of a pod is meant. */
import type { Pod } from "../../api/generated/core.ts";
import { CommandFailure } from "../../command/command-failure.ts";

export interface ChosenContainers {
  readonly names: readonly string[];
  /** That there was a choice, for the user to know. */
  readonly note?: string;
}

const DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

export function chooseContainers(
  pod: Pod,
  wanted: string | undefined,
  isAll: boolean,
): ChosenContainers {
  const { containers, initContainers = [], ephemeralContainers = [] } = pod.spec;
  const main = namesOf(containers ?? []);
  const init = namesOf(initContainers);
  const ephemeral = namesOf(ephemeralContainers);
  const all = [...init, ...main, ...ephemeral];
  if (isAll) return { names: all };
  const choice = [
    ...main,
    ...ephemeral.map((name) => `${name} (ephem)`),
    ...init.map((name) => `${name} (init)`),
  ].join(", ");
  if (wanted !== undefined) {
    if (all.includes(wanted)) return { names: [wanted] };
    throw new CommandFailure(
      `error: container ${wanted} is not valid for pod ${pod.metadata.name} out of: ${choice}`,
    );
  }
  const annotated = pod.metadata.annotations?.[DEFAULT_CONTAINER] ?? "";
  if (all.includes(annotated)) return { names: [annotated] };
  const [first = ""] = main;
  if (all.length === 1) return { names: [first] };
  return { names: [first], note: `Defaulted container "${first}" out of: ${choice}` };
}

function namesOf(containers: readonly { readonly name: string }[]): readonly string[] {
  return containers.map(({ name }) => name);
}
