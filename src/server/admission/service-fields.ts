/** Sets the fields of a Service that depend on this cluster, before it is validated. */
import { invalidObject } from "../../api/errors.ts";
import type { Service } from "../../api/generated/core.ts";
import type { Draft, KubeObject } from "../../api/object.ts";
import type { IpFamily } from "../../kinds/meta/addresses.ts";
import { alignClusterIPs, keepAllocated, settleFamilies } from "../../kinds/service/families.ts";
import type { AdmissionRequest } from "./plugin.ts";

export function settleService(request: AdmissionRequest, family: IpFamily): void {
  if (request.operation === "delete") return;
  const service = request.object as unknown as Draft<Service>;
  const old = request.old as Service | undefined;
  if (old) keepAllocated(service, old);
  alignClusterIPs(service, old);
  const findings = settleFamilies(service, family, old);
  if (findings.length > 0) throw invalidObject(request.kind, service.metadata.name ?? "", findings);
}

/** An ExternalName Service has no internal traffic: the field is validated and then removed. */
export function forgetInternalTraffic(object: Draft<KubeObject>): void {
  const { spec } = object as unknown as Draft<Service>;
  if (spec.type === "ExternalName") delete spec.internalTrafficPolicy;
}
