/** Volumes and claims are held by a finalizer, so that none goes away under whoever uses it. */
import { type AdmissionRequest, isAbout } from "./plugin.ts";

const FINALIZERS: { readonly [kind: string]: string } = {
  PersistentVolume: "kubernetes.io/pv-protection",
  PersistentVolumeClaim: "kubernetes.io/pvc-protection",
};

export function storageInUse(request: AdmissionRequest): void {
  if (request.operation !== "create") return;
  const { kind, object } = request;
  const finalizer = FINALIZERS[kind.kind];
  if (finalizer === undefined || !isAbout(request, kind.kind)) return;
  const { finalizers = [] } = object.metadata;
  if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer];
}
