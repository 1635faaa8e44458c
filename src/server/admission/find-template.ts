/** Pure: finds the pod of a request: its object, or the template in it. */
import type { CheckedPod } from "../podsecurity/check.ts";
import type { AdmissionRequest } from "./plugin.ts";

/** Undefined if the object has no template, or its kind creates no pods. */
export function findTemplate({ kind, object }: AdmissionRequest): CheckedPod | undefined {
  return FINDERS[`${kind.group}/${kind.kind}`]?.(object as unknown as Owner);
}

interface Owner {
  readonly template?: CheckedPod;
  readonly spec?: {
    readonly template?: CheckedPod;
    readonly jobTemplate?: { readonly spec: { readonly template: CheckedPod } };
  };
}

const ofSpec = ({ spec }: Owner): CheckedPod | undefined => spec?.template;

const FINDERS: {
  readonly [kind: string]: ((owner: Owner) => CheckedPod | undefined) | undefined;
} = {
  "/Pod": (pod) => pod as unknown as CheckedPod,
  "/PodTemplate": ({ template }) => template,
  "/ReplicationController": ofSpec,
  "apps/ReplicaSet": ofSpec,
  "apps/Deployment": ofSpec,
  "apps/DaemonSet": ofSpec,
  "apps/StatefulSet": ofSpec,
  "batch/Job": ofSpec,
  "batch/CronJob": ({ spec }) => spec?.jobTemplate?.spec.template,
};
