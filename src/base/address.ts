/** Pure: parses and formats IP addresses and ranges. */

/** Four or sixteen bytes. */
export type Address = readonly number[];

export interface Cidr {
  /** With every bit after the prefix cleared. */
  readonly network: Address;
  readonly prefixLength: number;
}

export function parseAddress(text: string): Address | undefined {
  return text.includes(":") ? parseIPv6(text) : parseIPv4(text);
}

function parseIPv4(text: string): Address | undefined {
  const parts = text.split(".");
  // A leading zero is rejected, as in Go, because some programs read it as octal.
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) return;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function parseIPv6(text: string): Address | undefined {
  const halves = withoutDots(text)?.split("::").map(parseGroups) ?? [];
  const [head, tail] = halves;
  if (head === undefined || halves.includes(undefined) || halves.length > 2) return;
  if (halves.length === 1) return head.length === 16 ? head : undefined;
  const missing = 16 - head.length - (tail?.length ?? 0);
  return missing >= 2 ? [...head, ...Array<number>(missing).fill(0), ...(tail ?? [])] : undefined;
}

/** Replaces a trailing IPv4 address, as in "::ffff:10.0.0.1", by two groups. */
function withoutDots(text: string): string | undefined {
  if (!text.includes(".")) return text;
  const end = text.lastIndexOf(":") + 1;
  const embedded = parseIPv4(text.slice(end));
  if (embedded === undefined) return;
  const [a = 0, b = 0, c = 0, d = 0] = embedded;
  return `${text.slice(0, end)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

function parseGroups(text: string): number[] | undefined {
  if (text === "") return [];
  const groups = text.split(":");
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return;
  return groups.flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

/** The shortest text of an address (RFC 5952), so that each address has one text. */
export function formatAddress(address: Address): string {
  if (address.length === 4) return address.join(".");
  const groups: string[] = [];
  for (let at = 0; at < 16; at += 2) {
    groups.push((((address[at] ?? 0) << 8) | (address[at + 1] ?? 0)).toString(16));
  }
  const zeros = longestZeroRun(groups);
  if (zeros.length < 2) return groups.join(":");
  const head = groups.slice(0, zeros.start).join(":");
  return `${head}::${groups.slice(zeros.start + zeros.length).join(":")}`;
}

function longestZeroRun(groups: readonly string[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === "0") length++;
    if (length > longest.length) longest = { start, length };
  }
  return longest;
}

/** "10.96.0.0/12". Undefined if the text is not a range, or has bits set after its prefix. */
export function parseCidr(text: string): Cidr | undefined {
  const match = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text);
  const network = parseAddress(match?.[1] ?? "");
  const prefixLength = Number(match?.[2]);
  if (network === undefined || prefixLength > network.length * 8) return;
  const isCleared = network.every((byte, at) => (byte & ~maskByte(prefixLength, at)) === 0);
  return isCleared ? { network, prefixLength } : undefined;
}

export function cidrContains({ network, prefixLength }: Cidr, address: Address): boolean {
  if (address.length !== network.length) return false;
  return network.every((byte, at) => ((address[at] ?? 0) & maskByte(prefixLength, at)) === byte);
}

function maskByte(prefixLength: number, at: number): number {
  const bits = Math.min(8, Math.max(0, prefixLength - at * 8));
  return (0xff << (8 - bits)) & 0xff;
}

/** The address at a distance from the network address: 1 is the first one for a host. */
export function addressAt({ network }: Cidr, distance: number): Address {
  const bytes = [...network];
  let carry = distance;
  for (let at = bytes.length - 1; at >= 0 && carry > 0; at--) {
    const sum = (bytes[at] ?? 0) + carry;
    bytes[at] = sum % 256;
    carry = Math.floor(sum / 256);
  }
  return bytes;
}

export function isLoopback(address: Address): boolean {
  if (address.length === 4) return address[0] === 127;
  return address.slice(0, 15).every((byte) => byte === 0) && address[15] === 1;
}

/** 0.0.0.0 or ::, which mean every address of the machine. */
export function isUnspecified(address: Address): boolean {
  return address.every((byte) => byte === 0);
}
