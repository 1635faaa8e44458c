/**
 * Exec and attach over SPDY: the client opens one stream each for input, outputs, errors and sizes.
 */
import type { Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { CommandStream } from "../../../api/stream-source.ts";
import { SpdyConnection, type SpdyStream } from "../spdy/connection.ts";
import { ClientFault } from "../stream-errors.ts";
import { commandStatus, parseSize } from "./command-status.ts";
import type { CommandOptions } from "./options.ts";

/** Oldest first. The first two have no terminal sizes, and those before v4 no Status. */
export const COMMAND_PROTOCOLS = [
  "channel.k8s.io",
  "v2.channel.k8s.io",
  "v3.channel.k8s.io",
  "v4.channel.k8s.io",
] as const;

export interface SpdyCommand {
  readonly protocol: string;
  /** The request determines which streams the client has to open. */
  readonly options: CommandOptions;
}

/** How long a client may take to open its streams. */
const OPENING_MS = 30_000;

export async function spdyCommand(
  carrier: Duplex,
  stream: CommandStream,
  { protocol, options }: SpdyCommand,
): Promise<void> {
  const expected = expectedTypes(protocol, options);
  const opening = new Opening(expected);
  const connection = new SpdyConnection(carrier, {
    mostStreams: expected.size,
    onStream: (each) => opening.take(each),
  });
  void connection.closed.catch(() => {}).then(() => stream.close());
  try {
    await opening.complete(connection.closed);
    const { error, stdin, stdout, stderr, resize } = opening.streams;
    if (stdin && stream.stdin) void pipeline(stdin, stream.stdin).catch(() => {});
    if (resize) followSizes(resize, stream);
    await Promise.all([send(stream.stdout, stdout), send(stream.stderr, stderr)]);
    const status = commandStatus(await stream.ended, options.command);
    const text = protocol === "v4.channel.k8s.io" ? JSON.stringify(status) : (status.message ?? "");
    if (error) await new Promise<void>((resolve) => error.end(text, resolve));
  } finally {
    stream.close();
    connection.close();
  }
}

function expectedTypes(protocol: string, options: CommandOptions): ReadonlySet<string> {
  const { stdin, stdout, stderr, tty } = options;
  const hasSizes = tty && !WITHOUT_SIZES.includes(protocol);
  const all = { error: true, stdin, stdout, stderr, resize: hasSizes };
  return new Set(Object.entries(all).flatMap(([type, isExpected]) => (isExpected ? [type] : [])));
}

const WITHOUT_SIZES: readonly string[] = COMMAND_PROTOCOLS.slice(0, 2);

/** Collects the expected streams before any data is sent. */
class Opening {
  readonly streams: { [type: string]: SpdyStream | undefined } = {};
  private onComplete: (() => void) | undefined;

  constructor(private readonly expected: ReadonlySet<string>) {}

  take(stream: SpdyStream): boolean {
    const type = stream.headers.get("streamtype") ?? "";
    if (!this.expected.has(type) || this.streams[type]) return false;
    this.streams[type] = stream;
    if (this.isComplete) this.onComplete?.();
    return true;
  }

  complete(closed: Promise<void>): Promise<void> {
    if (this.isComplete) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const late = () => reject(new ClientFault("timed out waiting for client to create streams"));
      const timer = setTimeout(late, OPENING_MS);
      this.onComplete = () => {
        clearTimeout(timer);
        resolve();
      };
      const isGone = () => {
        clearTimeout(timer);
        reject(new ClientFault("the client is gone"));
      };
      closed.then(isGone, isGone);
    });
  }

  private get isComplete(): boolean {
    return Object.keys(this.streams).length === this.expected.size;
  }
}

async function send(output: Readable | undefined, to: SpdyStream | undefined): Promise<void> {
  if (output && to) await pipeline(output, to).catch(() => {});
}

/** The stream contains one JSON text after the other. */
function followSizes(resize: SpdyStream, stream: CommandStream): void {
  let rest = "";
  resize.setEncoding("utf8").on("data", (text: string) => {
    rest += text;
    for (let end = rest.indexOf("}"); end >= 0; end = rest.indexOf("}")) {
      const size = parseSize(rest.slice(0, end + 1));
      rest = rest.slice(end + 1);
      if (size) stream.resize(size);
    }
  });
}
