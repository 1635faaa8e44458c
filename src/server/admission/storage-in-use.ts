/** Adds a finalizer to volumes and claims, so that none is removed while it is in use. */
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
