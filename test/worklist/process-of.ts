/** The process of an index of a run, as the controller and the agent make it. */
import { composeCommand } from "../../src/agent/environment/command.ts";
import { composeEnvironment } from "../../src/agent/environment/environment.ts";
import { COMPLETION_INDEX } from "../../src/api/completion-index.ts";
import { valuesAt } from "../../src/api/work-list/work-list.ts";
import { withItem } from "../../src/controllers/job/work-list-pod.ts";
import { composeRun } from "../../src/runs/compose/compose-run.ts";
import type { RunRequest } from "../../src/runs/compose/run-request.ts";
import { storedPod } from "../builders/pod.ts";

const NOTHING = {
  node: { name: "node-1", allocatable: {}, hostIp: "127.0.0.1" },
  podIp: "127.64.0.5",
  configMaps: () => undefined,
  secrets: () => undefined,
  services: [],
  inherited: [],
};

export function processOf(request: RunRequest, index: number) {
  const { spec } = composeRun(request).job;
  const { list, appended = [] } = request;
  const annotations = { [COMPLETION_INDEX]: `${index}` };
  const template = storedPod({ metadata: { annotations, name: "p", namespace: "default" } });
  const plain = { ...template, spec: { ...template.spec, ...spec.template.spec } };
  const pod = list
    ? withItem(plain, {
        shape: list,
        values: valuesAt(list, index),
        index,
        appended: { main: appended },
      })
    : plain;
  const [container] = pod.spec.containers ?? [];
  if (!container) throw new Error("no container");
  const composed = composeEnvironment({ pod, container, ...NOTHING });
  if ("problem" in composed) throw new Error(composed.problem.message);
  const ran = composeCommand(container, composed.variables);
  if ("problem" in ran) throw new Error(ran.problem.message);
  return {
    command: ran.command,
    environment: new Map(composed.environment),
    completions: spec.completions,
  };
}
