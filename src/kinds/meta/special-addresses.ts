/** Pure: addresses with a special meaning on every machine, which endpoints must not have. */

import { type Finding, invalid } from "../../api/finding.ts";
import { cidrContains, parseAddress, parseCidr } from "../../base/address.ts";
import { isReadableIp } from "./addresses.ts";

const RANGES: readonly { readonly cidrs: readonly string[]; readonly problem: string }[] = [
  {
    cidrs: ["127.0.0.0/8", "::1/128"],
    problem: "may not be in the loopback range (127.0.0.0/8, ::1/128)",
  },
  {
    cidrs: ["169.254.0.0/16", "fe80::/10"],
    problem: "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
  },
  {
    cidrs: ["224.0.0.0/24", "ff02::/16"],
    problem: "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
  },
];

/** The addresses of pods that share the network of this machine. */
const LOCAL_PODS = "127.64.0.0/10";

export interface AddressPlace {
  readonly namespace?: string;
  readonly name?: string;
  readonly labels?: { readonly [key: string]: string };
}

/** Also reports a text that is not an address, whatever was reported about its format before. */
export function validateNonSpecialIp(
  ip: string,
  path: string,
  place: AddressPlace = {},
): Finding[] {
  if (!isReadableIp(ip)) return [invalid(path, ip, "must be a valid IP address")];
  if (ip === "0.0.0.0" || ip === "::") {
    return [invalid(path, ip, `may not be unspecified (${ip})`)];
  }
  if (isIn(ip, LOCAL_PODS) || isServer(place)) return [];
  return RANGES.filter(({ cidrs }) => cidrs.some((cidr) => isIn(ip, cidr))).map(({ problem }) =>
    invalid(path, ip, problem),
  );
}

/** The endpoints of the server itself, which may listen only on this machine. */
function isServer({ namespace, name, labels }: AddressPlace): boolean {
  const service = labels?.["kubernetes.io/service-name"] ?? name;
  return namespace === "default" && service === "kubernetes";
}

function isIn(ip: string, range: string): boolean {
  const address = parseAddress(ip);
  const cidr = parseCidr(range);
  return address !== undefined && cidr !== undefined && cidrContains(cidr, address);
}
