/**
 * Pure: the order of the ports of a subset. Kubernetes sorts them by the MD5 of what Go prints of
 * them; clients that compare two Endpoints objects see that order.
 */
import { createHash } from "node:crypto";
import type { EndpointPort } from "../../api/generated/core.ts";

export function portOrder(one: EndpointPort, other: EndpointPort): number {
  return digestOf(one) < digestOf(other) ? -1 : 1;
}

function digestOf({ name = "", port, protocol = "", appProtocol }: EndpointPort): string {
  const application = appProtocol === undefined ? "<nil>" : appProtocol;
  const printed = [
    `Name:(string)${name}`,
    `Port:(int32)${port}`,
    `Protocol:(v1.Protocol)${protocol}`,
    `AppProtocol:(*string)${application}`,
  ].join(" ");
  return createHash("md5").update(`(v1.EndpointPort){${printed}}`).digest("hex");
}
