/** Pure: the rules of workloads that are stored and shown, but that no controller here runs. */
import type { PodTemplateSpec } from "../../api/generated/core.ts";
import { type Draft, draftOf, type KubeObject } from "../../api/object.ts";
import { nameWarnings } from "../job/warnings.ts";
import type { Rules } from "../kind.ts";
import { validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { standardRules } from "../meta/standard-rules.ts";
import { dropDisabledPodFields } from "../pod/drop-disabled.ts";

interface Workload extends KubeObject {
  readonly spec: { readonly template: PodTemplateSpec };
  readonly status: object;
}

export interface UnattendedOptions<T extends Workload> {
  readonly setDefaults: (object: Draft<T>) => void;
  /** The canonical form of a status in which nothing has been observed. */
  readonly emptyStatus: T["status"];
  /** Whether the names of its pods begin with its own in a way that hosts get to see. */
  readonly namesPods?: boolean;
}

export function unattendedRules<T extends Workload>(options: UnattendedOptions<T>): Rules<T> {
  const { setDefaults, emptyStatus, namesPods = false } = options;
  return {
    ...standardRules<T>({ namespaced: true }),
    setDefaults,
    prepareForCreate: (object) => prepare(object, emptyStatus),
    warningsOnCreate: ({ metadata }) => (namesPods ? nameWarnings(metadata.name ?? "") : []),
    prepareForUpdate: (next, old) => prepare(next, old.status, old.spec.template),
    validateUpdate: (next, old) => validateObjectMetaUpdate(next.metadata, old.metadata),
    validateStatusUpdate: (next, old) => validateObjectMetaUpdate(next.metadata, old.metadata),
  };
}

export function unattendedWarning(plural: string): string {
  return `no controller for ${plural} runs here: it is stored, but no pods will be created`;
}

function prepare<T extends Workload>(
  object: Draft<T>,
  status: T["status"],
  oldTemplate?: PodTemplateSpec,
): void {
  const workload = object as unknown as Draft<Workload>;
  workload.status = draftOf(status);
  dropDisabledPodFields(workload.spec.template.spec, oldTemplate?.spec);
}
