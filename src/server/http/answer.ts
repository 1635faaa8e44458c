/** The answers of the server: bytes with a status, a byte stream, watch events, or an upgrade. */

import type { Kind } from "../../kinds/kind.ts";
import type { Watching } from "../verbs/watch.ts";
import type { Representation } from "./negotiate.ts";
import type { RawUpgrade } from "./streams/websocket.ts";

export type Answer = BytesAnswer | StreamAnswer | WatchAnswer | UpgradeAnswer;

export interface BytesAnswer {
  readonly type: "bytes";
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: Uint8Array | string;
  readonly warnings?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer must not be sent before this revision is on disk. */
  readonly revision?: number;
}

export interface StreamAnswer {
  readonly type: "stream";
  readonly contentType: string;
  /**
   * Rejects if there is nothing to send. The signal is aborted when the client has disconnected.
   */
  readonly open: (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;
  readonly warnings?: readonly string[];
  readonly revision?: number;
}

/** The connection switches to another protocol. */
export interface UpgradeAnswer {
  readonly type: "upgrade";
  /** Settles when the stream has ended; rejects, before anything was sent, if it cannot start. */
  readonly accept: (raw: RawUpgrade) => Promise<void>;
  readonly warnings?: readonly string[];
  readonly revision?: number;
}

export interface WatchAnswer {
  readonly type: "watch";
  readonly kind: Kind;
  readonly representation: Representation;
  readonly includeObject: string | null;
  readonly watching: Watching;
  readonly bookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
  readonly warnings?: readonly string[];
}

export function plainText(status: number, body: string): BytesAnswer {
  return { type: "bytes", status, contentType: "text/plain; charset=utf-8", body };
}

export function json(status: number, value: unknown): BytesAnswer {
  return { type: "bytes", status, contentType: "application/json", body: JSON.stringify(value) };
}
