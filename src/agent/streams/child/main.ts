/**
 * A process of its own for what is streamed: `node streams.js DIRECTORY KIND`, started by the
 * server when somebody first executes a command or attaches; one for commands, and another for
 * terminals (address.ts says why). It is small, so that a fork costs little, and outlives the
 * server, since terminals of containers are in its hands. Each connection is one stream; read
 * exec.ts, terminal-exec.ts and holdings.ts for what it may be.
 */
import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { unreachable } from "../../../base/assert.ts";
import { systemClock } from "../../../base/clock.ts";
import { describeError } from "../../../base/describe-error.ts";
import { closeInherited } from "../../../base/descriptors.ts";
import { lockDirectory } from "../../../base/directory-lock.ts";
import { listenAtSocket } from "../../../base/socket-address.ts";
import { type StreamsKind, streamsAddress } from "../address.ts";
import type { StreamOrder, StreamRequest } from "../orders.ts";
import { StreamsChild } from "../streams-child.ts";
import { execute } from "./exec.ts";
import { Holdings } from "./holdings.ts";
import { Peer, type Stream } from "./peer.ts";
import { executeOnTerminal } from "./terminal-exec.ts";

const [childFile = "", directory = "", kindName] = process.argv.slice(1);
const kind: StreamsKind = kindName === "terminals" ? "terminals" : "streams";
/** With nothing to hold and nobody there is no reason to stay. */
const LONELY_MS = 60_000;

// Otherwise every command would have what the server or its shell had open.
closeInherited();
// Of two that are started at once one stays.
const lock = await lockDirectory(join(directory, kind));
const holdings = new Holdings(join(directory, kind));
const address = streamsAddress(directory, kind);
/** Starts commands for the child that opens terminals. */
const starter = new StreamsChild({ directory, clock: systemClock, childFile });
const peers = new Set<Peer>();
let lonely: NodeJS.Timeout | undefined;
rmSync(address, { force: true });
const server = createServer(onConnection);
listenAtSocket(server, address);
leaveWhenLonely();

function onConnection(socket: Socket): void {
  clearTimeout(lonely);
  let stream: Promise<Stream | undefined> | undefined;
  const peer = new Peer(socket, {
    onOrder: (order) => {
      if (order.order === "resize") resize(stream, order);
      else stream ??= begin(peer, order);
    },
    onClose: () => {
      peers.delete(peer);
      void stream?.then((begun) => begun?.close());
      leaveWhenLonely();
    },
  });
  peers.add(peer);
}

function resize(stream: Promise<Stream | undefined> | undefined, order: StreamRequest): void {
  void stream?.then((begun) => begun?.resize(order.width, order.height));
}

async function begin(peer: Peer, order: StreamOrder): Promise<Stream | undefined> {
  try {
    switch (order.order) {
      case "exec":
        if (kind === "terminals") return await executeOnTerminal(peer, order, starter);
        return await execute(peer, order);
      case "hold":
        peer.end({ news: "held", ...(await holdings.hold(order)) });
        return undefined;
      case "attach":
        return holdings.attach(peer, order);
      case "release":
        holdings.release(order.run);
        peer.end({ news: "over" });
        return undefined;
      default:
        return unreachable(order);
    }
  } catch (error) {
    peer.end({ news: "refused", message: describeError(error) });
    return undefined;
  }
}

function leaveWhenLonely(): void {
  clearTimeout(lonely);
  if (peers.size > 0) return;
  lonely = setTimeout(() => {
    if (!holdings.isEmpty) {
      leaveWhenLonely();
      return;
    }
    server.close();
    void lock.release().finally(() => process.exit(0));
  }, LONELY_MS);
}
