/** Sets the default storage class on claims that name none, if there is one. */
import type { PersistentVolumeClaim } from "../../api/generated/core.ts";
import type { StorageClass } from "../../api/generated/storage.ts";
import type { Draft } from "../../api/object.ts";
import { CLASS_ANNOTATION } from "../../kinds/persistentvolume/access.ts";
import { isDefaultClass } from "../../kinds/persistentvolume/storage-class.ts";
import { type AdmissionRequest, isAbout, type StoreView } from "./plugin.ts";

const RESOURCE = "storageclasses.storage.k8s.io";

export function defaultStorageClass(request: AdmissionRequest, store: StoreView): void {
  if (request.operation !== "create" || !isAbout(request, "PersistentVolumeClaim")) return;
  const { metadata, spec } = request.object as unknown as Draft<PersistentVolumeClaim>;
  const isNamed = spec.storageClassName ?? metadata.annotations?.[CLASS_ANNOTATION];
  if (isNamed !== undefined) return;
  const classes = store.list(RESOURCE).items as readonly StorageClass[];
  const found = classes.filter(isDefaultClass).sort(newestFirst)[0]?.metadata.name;
  if (found !== undefined) spec.storageClassName = found;
}

function newestFirst({ metadata: one }: StorageClass, { metadata: other }: StorageClass): number {
  const [left = "", right = ""] = [one.creationTimestamp, other.creationTimestamp];
  if (left !== right) return left < right ? 1 : -1;
  return (one.name ?? "") < (other.name ?? "") ? -1 : 1;
}
