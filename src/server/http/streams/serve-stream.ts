/**
 * Exec, attach and port-forward of a pod. The request is checked and the node opens the stream
 * before the connection switches its protocol, so that every error is a normal HTTP answer.
 *
 * Reading order: options and channels (pure), this file, websocket-command and spdy-command,
 * forward-port with websocket-ports and spdy-ports; ../spdy is below them.
 */
import { type ApiError, badRequest } from "../../../api/errors.ts";
import type { Pod } from "../../../api/generated/core.ts";
import {
  type CommandStream,
  StreamRefused,
  type StreamSource,
  type TerminalSize,
} from "../../../api/stream-source.ts";
import { locateStream } from "../../verbs/streams.ts";
import { type Answer, plainText, type UpgradeAnswer } from "../answer.ts";
import type { Contain } from "../contain.ts";
import type { ApiServer, NamedRequest, Upgrade } from "../request.ts";
import { PlainRefusal } from "../stream-errors.ts";
import { type ChannelProtocol, chooseChannelProtocol, choosePortProtocol } from "./channels.ts";
import { type CommandOptions, parseCommandQuery, parsePorts } from "./options.ts";
import { COMMAND_PROTOCOLS, spdyCommand } from "./spdy-command.ts";
import { PORT_PROTOCOL, spdyPorts } from "./spdy-ports.ts";
import { openSpdy } from "./spdy-upgrade.ts";
import { openWebSocket } from "./websocket.ts";
import { streamCommand } from "./websocket-command.ts";
import { streamPorts } from "./websocket-ports.ts";

const WEBSOCKET = "websocket";
const SPDY = "spdy/3.1";
/** SPDY inside a WebSocket, as kubectl forwards ports. */
const TUNNEL = `SPDY/3.1+${PORT_PROTOCOL}`;

export function serveStream(server: ApiServer, request: NamedRequest, name: string): Answer {
  const { pod, container, source } = locateStream(server, request, name);
  const { upgrade } = request;
  if (!upgrade) throw badRequest("Upgrade request required");
  if (name === "portforward") return servePorts(pod, source, request.query, upgrade);
  const options = parseCommandQuery(request.query);
  if ("problem" in options) return plainText(400, options.problem);
  const asked = { ...options, container };
  const open = () => (name === "exec" ? source.exec(pod, asked) : source.attach(pod, asked));
  return serveCommand(open, name === "exec" ? options : { ...options, command: [] }, upgrade);
}

function serveCommand(
  open: () => Promise<CommandStream>,
  options: CommandOptions,
  { protocol, subprotocols }: Upgrade,
): Answer {
  if (protocol === WEBSOCKET) {
    const channels = chooseChannelProtocol(subprotocols);
    if (!channels) throw unknownProtocol(subprotocols);
    return upgraded(async (raw) => {
      const stream = contained(await refusable(open), raw.contain);
      const socket = await openWebSocket(raw, channels.name).catch(closing(stream));
      await streamCommand(socket, { protocol: channels, contain: raw.contain }, stream, options);
    });
  }
  if (protocol !== SPDY) throw badRequest("Upgrade request required");
  const chosen = subprotocols.find((each) => COMMAND_PROTOCOLS.some((known) => known === each));
  // A client that names no protocol uses the oldest.
  const spoken = subprotocols.length === 0 ? COMMAND_PROTOCOLS[0] : chosen;
  if (!spoken) return notNegotiated(subprotocols, COMMAND_PROTOCOLS);
  return upgraded(async (raw) => {
    const stream = contained(await refusable(open), raw.contain);
    const carrier = openSpdy(raw, chosen);
    await spdyCommand(carrier, stream, { protocol: spoken, options });
  });
}

function servePorts(
  pod: Pod,
  source: StreamSource,
  query: URLSearchParams,
  { protocol, subprotocols }: Upgrade,
): Answer {
  if (protocol === SPDY) {
    const spoken = subprotocols.length === 0 || subprotocols.includes(PORT_PROTOCOL);
    if (!spoken) return notNegotiated(subprotocols, [PORT_PROTOCOL]);
    const named = subprotocols.length === 0 ? undefined : PORT_PROTOCOL;
    return upgraded((raw) => spdyPorts(openSpdy(raw, named), { pod, source }));
  }
  if (protocol !== WEBSOCKET) throw badRequest("Upgrade request required");
  if (subprotocols.includes(TUNNEL)) {
    return upgraded(async (raw) => {
      const socket = await openWebSocket(raw, TUNNEL);
      const { createWebSocketStream } = await import("ws");
      await spdyPorts(createWebSocketStream(socket), { pod, source });
    });
  }
  const channels: ChannelProtocol | undefined = choosePortProtocol(subprotocols);
  if (!channels) throw unknownProtocol(subprotocols);
  const ports = parsePorts(query).map((port) => ({ pod, port, source }));
  return upgraded(async (raw) => {
    const socket = await openWebSocket(raw, channels.name);
    await streamPorts(socket, { protocol: channels, contain: raw.contain }, ports);
  });
}

function upgraded(accept: UpgradeAnswer["accept"]): UpgradeAnswer {
  return { type: "upgrade", accept };
}

/** Connection events call these two functions, so that an exception must not leave them. */
function contained(stream: CommandStream, contain: Contain): CommandStream {
  const { stdin, stdout, stderr, ended } = stream;
  return {
    ...(stdin && { stdin }),
    ...(stdout && { stdout }),
    ...(stderr && { stderr }),
    ended,
    resize: contain((size: TerminalSize) => stream.resize(size)),
    close: contain(() => stream.close()),
  };
}

/** If the node refuses before the stream is open, its plain text is the answer. */
async function refusable(open: () => Promise<CommandStream>): Promise<CommandStream> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof StreamRefused) throw new PlainRefusal(error.message);
    throw error;
  }
}

function closing(stream: CommandStream): (error: Error) => never {
  return (error) => {
    stream.close();
    throw error;
  };
}

function unknownProtocol(names: readonly string[]): ApiError {
  return badRequest(`requested protocol(s) are not supported: [${names.join(" ")}]`);
}

function notNegotiated(asked: readonly string[], known: readonly string[]): Answer {
  const both = `client supports [${asked.join(" ")}], server accepts [${known.join(" ")}]`;
  const answer = plainText(403, `unable to upgrade: unable to negotiate protocol: ${both}`);
  return { ...answer, headers: { "X-Accepted-Stream-Protocol-Versions": known.join(", ") } };
}
