/** Pure: the rules of workloads that are stored and shown, but have no controller here. */
import { isEqual } from "../../api/equal.ts";
import type { Finding } from "../../api/finding.ts";
import type { PodTemplateSpec } from "../../api/generated/core.ts";
import type { LabelSelector } from "../../api/generated/meta.ts";
import { type Draft, draftOf, type KubeObject } from "../../api/object.ts";
import { nameWarnings } from "../job/warnings.ts";
import type { Rules } from "../kind.ts";
import { validateImmutable, validateObjectMetaUpdate } from "../meta/object-meta.ts";
import { standardRules } from "../meta/standard-rules.ts";
import { dropDisabledPodFields } from "../pod/drop-disabled.ts";
import { podTemplateWarnings } from "../pod/warnings.ts";

interface Workload extends KubeObject {
  readonly spec: { readonly template: PodTemplateSpec; readonly selector?: LabelSelector | null };
  readonly status: object;
}

export interface UnattendedOptions<T extends Workload> {
  readonly setDefaults: (object: Draft<T>) => void;
  /** The canonical form of a status before anything was observed. */
  readonly emptyStatus: T["status"];
  /** Whether the names of its pods start with its own, so that it must be valid in host names. */
  readonly namesPods?: boolean;
  readonly validateSpec: (object: T, old?: T) => Finding[];
  readonly validateStatus: (next: T, old: T) => Finding[];
  /** Whether Kubernetes first validates the whole object on an update, and then the changes. */
  readonly isCheckedTwice: boolean;
}

export function unattendedRules<T extends Workload>(options: UnattendedOptions<T>): Rules<T> {
  const { setDefaults, emptyStatus, namesPods = false } = options;
  const { validate } = standardRules<T>({
    namespaced: true,
    validateContent: (object) => options.validateSpec(object),
  });
  return {
    setDefaults,
    prepareForCreate: (object) => prepare(object, emptyStatus),
    validate,
    warningsOnCreate: ({ metadata, spec }) => [
      ...(namesPods ? nameWarnings(metadata.name ?? "") : []),
      ...podTemplateWarnings(spec.template, "spec.template"),
    ],
    prepareForUpdate: (next, old) => prepare(next, old.status, old.spec.template),
    validateUpdate: (next, old) => [
      ...(options.isCheckedTwice ? validate(next) : []),
      ...validateObjectMetaUpdate(next.metadata, old.metadata),
      ...options.validateSpec(next, old),
      ...validateImmutable(next.spec.selector, old.spec.selector, "spec.selector"),
    ],
    warningsOnUpdate: (next, old) =>
      isEqual(next.spec, old.spec)
        ? []
        : podTemplateWarnings(next.spec.template, "spec.template", old.spec.template),
    validateStatusUpdate: (next, old) => [
      ...validateObjectMetaUpdate(next.metadata, old.metadata),
      ...options.validateStatus(next, old),
    ],
  };
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
