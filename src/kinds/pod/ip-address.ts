/** Pure: lenient parsing of the IP addresses in pods, for compatibility. */
export interface IpAddress {
  readonly family: 4 | 6;
  /** The canonical text: without leading zeros, shortened, in lower case. */
  readonly canonical: string;
}

export function parseIp(text: string): IpAddress | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every(isOctet)) return undefined;
  return { family: 4, canonical: parts.map(Number).join(".") };
}

function isOctet(part: string): boolean {
  return /^[0-9]+$/.test(part) && Number(part) <= 255;
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const isWhole = halves.length === 1;
  const head = groupsOf(halves[0] ?? "", isWhole);
  const tail = groupsOf(halves[1] ?? "", !isWhole);
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (isWhole ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array<number>(missing).fill(0), ...tail];
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  // ::ffff:1.2.3.4 is an IPv4-mapped address.
  if (isMapped) return { family: 4, canonical: formatMapped(groups) };
  return { family: 6, canonical: format(groups) };
}

/** The 16-bit groups of one side of "::"; the last two may be written as an IPv4 address. */
function groupsOf(text: string, isEnd: boolean): number[] | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  const parts = text.split(":");
  for (const [at, part] of parts.entries()) {
    if (isEnd && part.includes(".") && at === parts.length - 1) {
      const octets = parseIpv4(part)?.canonical.split(".").map(Number);
      if (octets === undefined) return undefined;
      const [a = 0, b = 0, c = 0, d = 0] = octets;
      groups.push(a * 256 + b, c * 256 + d);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      groups.push(Number.parseInt(part, 16));
    } else {
      return undefined;
    }
  }
  return groups;
}

function formatMapped(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 255])
    .join(".");
}

/** RFC 5952: lower case, and the longest run of two or more zero groups is "::". */
function format(groups: readonly number[]): string {
  let best = { start: -1, length: 1 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex = groups.map((group) => group.toString(16));
  if (best.start < 0) return hex.join(":");
  const left = hex.slice(0, best.start).join(":");
  return `${left}::${hex.slice(best.start + best.length).join(":")}`;
}
