/** Pure: validates fields that contain an IP address or a CIDR range. */

import { type Finding, invalid, quote } from "../../api/finding.ts";
import { type Address, formatAddress, parseAddress } from "../../base/address.ts";

export type IpFamily = "IPv4" | "IPv6";

const IP_RULE = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const CIDR_RULE = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
const LEADING_ZEROS = "must not have leading 0s";
const MAPPED = "must not be an IPv4-mapped IPv6 address";
const HOST_BITS = "must not have bits set beyond the prefix length";

export function validateIp(text: string, path: string): Finding[] {
  return ipProblems(text, IP_RULE).map((problem) => invalid(path, text, problem));
}

export function validateCidr(text: string, path: string): Finding[] {
  return cidrProblems(text).map((problem) => invalid(path, text, problem));
}

/** The warning about an accepted address that is not in canonical form. */
export function ipWarnings(text: string, path: string): string[] {
  const address = parseAddress(text);
  if (address === undefined || address.length === 4) return [];
  const canonical = formatAddress(address);
  if (canonical === text) return [];
  const rule = "should be in RFC 5952 canonical format";
  return [`${path}: IPv6 address ${quote(text)} ${rule} (${quote(canonical)})`];
}

export function ipFamily(text: string): IpFamily | undefined {
  const address = parseAddress(text);
  if (address === undefined) return undefined;
  return address.length === 4 || isMapped(address) ? "IPv4" : "IPv6";
}

/** Whether the text can be parsed as an address, even if Kubernetes rejects it. */
export function isReadableIp(text: string): boolean {
  return parseAddress(withoutLeadingZeros(text)) !== undefined;
}

export function cidrFamily(text: string): IpFamily | undefined {
  return ipFamily(text.split("/")[0] ?? "");
}

function ipProblems(text: string, rule: string): string[] {
  const address = parseAddress(text);
  if (address !== undefined) return isMapped(address) ? [MAPPED] : [];
  return parseAddress(withoutLeadingZeros(text)) === undefined ? [rule] : [LEADING_ZEROS];
}

function cidrProblems(text: string): string[] {
  const [ip = "", prefix = "", ...rest] = text.split("/");
  const problems = ipProblems(ip, CIDR_RULE);
  const address = parseAddress(withoutLeadingZeros(ip));
  const length = Number(prefix);
  if (address === undefined || rest.length > 0 || !/^\d{1,3}$/.test(prefix)) return [CIDR_RULE];
  if (length > address.length * 8) return [CIDR_RULE];
  if (/^0\d/.test(prefix) && problems.length === 0) problems.push(LEADING_ZEROS);
  return hasHostBits(address, length) ? [...problems, HOST_BITS] : problems;
}

function hasHostBits(address: Address, prefixLength: number): boolean {
  return address.some((byte, at) => {
    const networkBits = Math.min(8, Math.max(0, prefixLength - at * 8));
    return (byte & (0xff >> networkBits)) !== 0;
  });
}

/** Some programs read "010.0.0.1" as octal, so Kubernetes parses it but rejects it. */
function withoutLeadingZeros(text: string): string {
  return text.replace(/(^|[.:])0+(?=\d+(\.|$))/g, "$1");
}

/** "::ffff:1.2.3.4" */
function isMapped(address: Address): boolean {
  const prefix = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
  return address.length === 16 && prefix.every((byte, at) => address[at] === byte);
}
