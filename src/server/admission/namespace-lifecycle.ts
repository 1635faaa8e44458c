/** Rejects creations in missing or terminating namespaces, and the deletion of three namespaces. */
import { notFound } from "../../api/errors.ts";
import type { Namespace } from "../../api/generated/core.ts";
import { type AdmissionRequest, isAbout, refuse, type StoreView } from "./plugin.ts";

const IMMORTAL = ["default", "kube-system", "kube-public"];

export function namespaceLifecycle(request: AdmissionRequest, store: StoreView): void {
  const { operation, kind, namespace, object } = request;
  if (operation === "delete") {
    const isImmortal = IMMORTAL.includes(object.metadata.name ?? "");
    if (isImmortal && isAbout(request, "Namespace")) {
      throw refuse(request, "this namespace may not be deleted");
    }
    return;
  }
  if (!kind.namespaced) return;
  const found = store.get({ resource: "namespaces", namespace: "", name: namespace });
  if (found === undefined) throw notFound({ group: "", resource: "namespaces" }, namespace);
  if (operation !== "create" || (found as Namespace).status.phase !== "Terminating") return;
  const problem = `unable to create new content in namespace ${namespace}`;
  throw refuse(request, `${problem} because it is being terminated`, [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    },
  ]);
}
