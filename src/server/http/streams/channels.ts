/**
 * Pure: the protocols that stream commands over WebSockets. A message is a byte with the channel
 * number followed by its data; the older form for browsers is text: a digit and base64.
 */

export const STDIN = 0;
export const STDOUT = 1;
export const STDERR = 2;
export const ERROR = 3;
export const RESIZE = 4;
/** Since v5: followed by the number of the channel to close. */
const CLOSE = 255;

export interface ChannelProtocol {
  readonly name: string;
  readonly isText: boolean;
  /** The result of a command is a Status in JSON; before v4 it was only the message. */
  readonly hasStatus: boolean;
  readonly hasClose: boolean;
}

const PROTOCOLS: readonly ChannelProtocol[] = [
  { name: "v5.channel.k8s.io", isText: false, hasStatus: true, hasClose: true },
  { name: "v4.channel.k8s.io", isText: false, hasStatus: true, hasClose: false },
  { name: "v4.base64.channel.k8s.io", isText: true, hasStatus: true, hasClose: false },
  { name: "channel.k8s.io", isText: false, hasStatus: false, hasClose: false },
  { name: "base64.channel.k8s.io", isText: true, hasStatus: false, hasClose: false },
];

const UNNAMED: ChannelProtocol = { name: "", isText: false, hasStatus: false, hasClose: false };

/** The first supported protocol that the client names; if it names none, the oldest. */
export function chooseChannelProtocol(names: readonly string[]): ChannelProtocol | undefined {
  if (names.length === 0) return UNNAMED;
  for (const name of names) {
    const found = PROTOCOLS.find((each) => each.name === name);
    if (found) return found;
  }
  return undefined;
}

/** Port forwarding uses only the v4 protocols. */
export function choosePortProtocol(names: readonly string[]): ChannelProtocol | undefined {
  return chooseChannelProtocol(names.filter((name) => name.startsWith("v4.")));
}

export function formatMessage(
  { isText }: ChannelProtocol,
  channel: number,
  bytes: Uint8Array,
): Buffer | string {
  if (isText) return `${channel}${Buffer.from(bytes).toString("base64")}`;
  const message = Buffer.allocUnsafe(1 + bytes.length);
  message.writeUInt8(channel, 0);
  message.set(bytes, 1);
  return message;
}

export type ChannelMessage =
  | { readonly channel: number; readonly bytes: Buffer }
  | { readonly closed: number };

/** Undefined for a message without meaning. */
export function parseMessage(
  { isText, hasClose }: ChannelProtocol,
  message: Buffer,
): ChannelMessage | undefined {
  const [first, second] = message;
  if (first === undefined) return undefined;
  if (isText) {
    const channel = first - 0x30;
    return { channel, bytes: Buffer.from(message.toString("latin1", 1), "base64") };
  }
  if (first !== CLOSE || !hasClose) return { channel: first, bytes: message.subarray(1) };
  return second === undefined ? undefined : { closed: second };
}
