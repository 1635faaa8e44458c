/** Pure: functions for IP addresses and CIDR blocks. */
import type { Library } from "../functions.ts";
import { CelError, Opaque } from "../value.ts";

interface Address {
  readonly bits: 32 | 128;
  readonly number: bigint;
}

interface Block extends Address {
  readonly length: number;
}

function parseAddress(text: string): Address | undefined {
  if (text.includes(":")) {
    const number = parseV6(text);
    return number === undefined ? undefined : { bits: 128, number };
  }
  const parts = text.split(".");
  const isV4 = parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part));
  if (!isV4 || parts.some((part) => Number(part) > 255)) return undefined;
  return { bits: 32, number: parts.reduce((sum, part) => sum * 256n + BigInt(part), 0n) };
}

/** Zones and IPv4-mapped addresses are rejected, as in Kubernetes. */
function parseV6(text: string): bigint | undefined {
  const [head = "", tail, ...more] = text.split("::");
  if (more.length > 0 || text.includes(".")) return undefined;
  const groups = (part: string) => (part === "" ? [] : part.split(":"));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const all = [...left, ...Array.from({ length: missing }, () => "0"), ...right];
  if (!all.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  const number = all.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
  return number >> 32n === 0xffffn ? undefined : number;
}

function formatAddress({ bits, number }: Address): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((by) => (number >> by) & 255n).join(".");
  const groups = Array.from({ length: 8 }, (_, at) => {
    return ((number >> BigInt(112 - at * 16)) & 0xffffn).toString(16);
  });
  const runs = [...groups.join(":").matchAll(/(?:^|:)0(?::0)+(?=:|$)/g)];
  const longest = runs.sort((one, other) => other[0].length - one[0].length)[0];
  if (!longest) return groups.join(":");
  const whole = groups.join(":");
  const after = whole.slice(longest.index + longest[0].length).replace(/^:/, "");
  return `${whole.slice(0, longest.index)}::${after}`;
}

function parseBlock(text: string): Block | undefined {
  const [address = "", length = "", ...more] = text.split("/");
  const parsed = parseAddress(address);
  if (!parsed || more.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(length)) return undefined;
  return Number(length) <= parsed.bits ? { ...parsed, length: Number(length) } : undefined;
}

function wrappedAddress(address: Address): Opaque {
  return new Opaque("IP", address, formatAddress(address));
}

function wrappedBlock(block: Block): Opaque {
  return new Opaque("CIDR", block, `${formatAddress(block)}/${block.length}`);
}

function address(text: unknown): Opaque {
  const parsed = parseAddress(text as string);
  if (parsed) return wrappedAddress(parsed);
  const problem = `IP Address ${JSON.stringify(text)} parse error during conversion from string`;
  throw new CelError(problem);
}

function block(text: unknown): Opaque {
  const parsed = parseBlock(text as string);
  if (parsed) return wrappedBlock(parsed);
  throw new CelError(`network address parse error during conversion from string: ${String(text)}`);
}

function prefix({ bits, number }: Address, length: number): bigint {
  return number >> BigInt(bits - length);
}

function contains(outer: Block, inner: Address, length: number): boolean {
  if (outer.bits !== inner.bits || outer.length > length) return false;
  return prefix(outer, outer.length) === prefix(inner, outer.length);
}

const ip = (value: unknown) => (value as Opaque).content as Address;
const cidr = (value: unknown) => (value as Opaque).content as Block;
const inAny = (...blocks: string[]) => {
  const parsed = blocks.map((text) => parseBlock(text) as Block);
  return (value: unknown) => parsed.some((each) => contains(each, ip(value), ip(value).bits));
};

const isLoopback = inAny("127.0.0.0/8", "::1/128");
const isLinkLocal = inAny("169.254.0.0/16", "fe80::/10");
const isMulticast = inAny("224.0.0.0/4", "ff00::/8");
const isUnspecified = (value: unknown) => ip(value).number === 0n;
const isBroadcast = (value: unknown) => ip(value).bits === 32 && ip(value).number === 0xffffffffn;

export const addresses: Library = {
  "ip(string): IP": ([text]) => address(text),
  "isIP(string): bool": ([text]) => parseAddress(text as string) !== undefined,
  "@ip.isCanonical(string): bool": ([text]) => address(text).text === text,
  "string(IP): string": ([value]) => (value as Opaque).text,
  "IP.family(): int": ([value]) => (ip(value).bits === 32 ? 4n : 6n),
  "IP.isUnspecified(): bool": ([value]) => isUnspecified(value),
  "IP.isLoopback(): bool": ([value]) => isLoopback(value),
  "IP.isLinkLocalMulticast(): bool": ([value]) => inAny("224.0.0.0/24", "ff02::/16")(value),
  "IP.isLinkLocalUnicast(): bool": ([value]) => isLinkLocal(value),
  "IP.isGlobalUnicast(): bool": ([value]) =>
    ![isUnspecified, isLoopback, isMulticast, isLinkLocal, isBroadcast].some((test) => test(value)),
  "cidr(string): CIDR": ([text]) => block(text),
  "isCIDR(string): bool": ([text]) => parseBlock(text as string) !== undefined,
  "string(CIDR): string": ([value]) => (value as Opaque).text,
  "CIDR.containsIP(IP): bool": ([outer, inner]) => contains(cidr(outer), ip(inner), ip(inner).bits),
  "CIDR.containsIP(string): bool": ([outer, text]) => {
    const inner = ip(address(text));
    return contains(cidr(outer), inner, inner.bits);
  },
  "CIDR.containsCIDR(CIDR): bool": ([outer, inner]) =>
    contains(cidr(outer), cidr(inner), cidr(inner).length),
  "CIDR.containsCIDR(string): bool": ([outer, text]) => {
    const inner = cidr(block(text));
    return contains(cidr(outer), inner, inner.length);
  },
  "CIDR.ip(): IP": ([value]) =>
    wrappedAddress({ bits: cidr(value).bits, number: cidr(value).number }),
  "CIDR.prefixLength(): int": ([value]) => BigInt(cidr(value).length),
  "CIDR.masked(): CIDR": ([value]) => {
    const { bits, length } = cidr(value);
    const number = prefix(cidr(value), length) << BigInt(bits - length);
    return wrappedBlock({ bits, length, number });
  },
};
