/** Copies the imagePullSecrets of the ServiceAccount to pods that have none. */
import type { Pod, ServiceAccount } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import { type AdmissionRequest, isAbout, type StoreView } from "./plugin.ts";

export function pullSecrets(request: AdmissionRequest, store: StoreView): void {
  if (request.operation !== "create" || !isAbout(request, "Pod")) return;
  const { spec } = request.object as unknown as Draft<Pod>;
  if (request.part !== undefined || (spec.imagePullSecrets?.length ?? 0) > 0) return;
  const { namespace } = request;
  const name = spec.serviceAccountName ?? "default";
  const account = store.get({ resource: "serviceaccounts", namespace, name });
  const secrets = (account as ServiceAccount | undefined)?.imagePullSecrets ?? [];
  if (secrets.length > 0) spec.imagePullSecrets = secrets.map((each) => ({ ...each }));
}
