/**
 * Pure: the order of the ports in a subset. Kubernetes sorts them by the MD5 of Go's printed form.
 * The same order is used here, because clients that compare two Endpoints objects depend on it.
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
