/** Pure: the Job of a step: its unique name, and its labels and owner. */
import type { JobTemplateSpec } from "../../api/generated/batch.ts";
import type { Workflow } from "../../api/generated/tallyjob.ts";
import type { JobWishes } from "../jobtemplate/new-job.ts";
import type { StepStart } from "./decide.ts";

export const WORKFLOW_LABEL = "tallyjob.io/workflow";
export const STEP_LABEL = "tallyjob.io/workflow-step";

/** Leaves room for the index of a pod within 63 characters. */
const NAME_MAX = 52;

export function jobWishes(workflow: Workflow, start: StepStart): JobWishes {
  const step = workflow.spec.jobs?.[start.at]?.name ?? "";
  return {
    name: jobNameOf(workflow, start),
    owner: workflow,
    labels: { [WORKFLOW_LABEL]: workflow.metadata.name ?? "", [STEP_LABEL]: step },
  };
}

/** Deterministic for an attempt of a step, so that no attempt is started twice. */
export function jobNameOf({ metadata, spec }: Workflow, { at, attempt }: StepStart): string {
  const plain = `${metadata.name ?? ""}-${spec.jobs?.[at]?.name ?? ""}`;
  if (attempt === 0 && plain.length <= NAME_MAX) return plain;
  const hash = hashOf(`${metadata.uid ?? ""} ${at} ${attempt}`);
  const kept = plain.slice(0, NAME_MAX - hash.length - 1).replace(/-+$/, "");
  return `${kept}-${hash}`;
}

/** A Job of a Workflow must not expire by itself: the Workflow has to read its result. */
export function withoutExpiry(template: JobTemplateSpec): JobTemplateSpec {
  if (template.spec.ttlSecondsAfterFinished === undefined) return template;
  const { ttlSecondsAfterFinished: _expiry, ...spec } = template.spec;
  return { ...template, spec };
}

/** FNV-1a with 32 bits. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  }
  return hash.toString(16).padStart(8, "0");
}
