/** The fields of a Service that depend on this cluster, settled before the Service is validated. */
import { invalidObject } from "../../api/errors.ts";
import type { Service } from "../../api/generated/core.ts";
import type { Draft } from "../../api/object.ts";
import type { IpFamily } from "../../kinds/meta/addresses.ts";
import { alignClusterIPs, keepAllocated, settleFamilies } from "../../kinds/service/families.ts";
import type { AdmissionRequest } from "./plugin.ts";

export function settleService(request: AdmissionRequest, family: IpFamily): void {
  if (request.operation === "delete") return;
  const service = request.object as unknown as Draft<Service>;
  const old = request.old as Service | undefined;
  if (old) keepAllocated(service, old);
  alignClusterIPs(service, old);
  const findings = settleFamilies(service, family);
  if (findings.length > 0) throw invalidObject(request.kind, service.metadata.name ?? "", findings);
}
