/**
 * Pure: removes fields of features that Kubernetes 1.36 has but disables by default. Such fields
 * are not rejected but dropped, unless the object had them before.
 */
import type { PodSpec } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { visitContainers } from "./visit-containers.ts";

export function dropDisabledPodFields(spec: Draft<PodSpec>, old?: PodSpec): void {
  dropProjections(spec, old, "clusterTrustBundle");
  dropProjections(spec, old, "podCertificate");
  if (old?.schedulingGroup === undefined) delete spec.schedulingGroup;
  if (old === undefined || !hasStopSignal(old)) dropStopSignals(spec);
}

type Projection = "clusterTrustBundle" | "podCertificate";

function dropProjections(spec: Draft<PodSpec>, old: PodSpec | undefined, field: Projection): void {
  if (old && projectionsOf(old).some((source) => source[field] !== undefined)) return;
  for (const source of projectionsOf(spec)) delete source[field];
}

function projectionsOf<Spec extends PodSpec | Draft<PodSpec>>(spec: Spec) {
  type Source = NonNullable<NonNullable<Spec["volumes"]>[number]["projected"]>["sources"];
  const sources = (spec.volumes ?? []).flatMap(({ projected }) => projected?.sources ?? []);
  return sources as NonNullable<Source>[number][];
}

function hasStopSignal(spec: PodSpec): boolean {
  return visitContainers(spec, "").some(
    ({ container }) => container.lifecycle?.stopSignal !== undefined,
  );
}

function dropStopSignals(spec: Draft<PodSpec>): void {
  for (const list of [spec.initContainers, spec.containers, spec.ephemeralContainers]) {
    for (const container of list ?? []) {
      const { lifecycle } = container;
      if (lifecycle?.stopSignal === undefined) continue;
      delete lifecycle.stopSignal;
      if (Object.keys(lifecycle).length === 0) delete container.lifecycle;
    }
  }
}
